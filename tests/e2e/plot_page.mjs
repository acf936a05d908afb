// The plot page in a real browser: `node plot_page.mjs WEB RAMP.html`, with thrum on the PATH, in an empty folder. WEB is the
// project's web/ (for playwright-core); RAMP.html a page of several recorded runs. Makes results, plots them, and checks what a
// person would see and do. Prints a line for each check and "N passed, N failed" at the end.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [web, ramp] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(web), "package.json"))("playwright-core");
const second = 1e9;

let passed = 0;
let failed = 0;
function check(what, holds, seen) {
  if (holds) passed++;
  else failed++;
  if (!holds) console.log(`FAILED ${what}${seen === undefined ? "" : `: ${JSON.stringify(seen)}`}`);
}
const equal = (what, is, should) => check(`${what}, should be ${JSON.stringify(should)}`, JSON.stringify(is) === JSON.stringify(should), is);

// Results as JSON lines, one every 2 ms, with latencies that are all different.
function results(attack, start, count) {
  const all = [];
  for (let seq = 0; seq < count; seq++) {
    const fails = seq % 50 === 7;
    all.push({
      attack,
      seq,
      code: fails ? 503 : 200,
      timestamp: new Date(start * 1000 + seq * 2).toISOString(),
      latency: 1_000_000 + seq * 701 + (seq % 97) * 10_007 + (seq === 1234 ? second : 0),
      bytes_out: 0,
      bytes_in: 0,
      error: fails ? "503 Service Unavailable </script><img src=x onerror=alert(1)>" : "",
      body: null,
      method: "GET",
      url: "http://127.0.0.1/",
      headers: null,
    });
  }
  return all;
}

const hostile = '</script><script>window.owned = true</script><b id="owned">';
const runs = [results(hostile, 1_700_000_000, 6000), results("", 1_700_000_020, 500)];
runs.forEach((run, i) => writeFileSync(`${i}.json`, `${run.map((r) => JSON.stringify(r)).join("\n")}\n`));
writeFileSync("page.html", execFileSync("thrum", ["plot", "-title", `Plot ${hostile}`, "0.json", "1.json"]));

const profile = mkdtempSync(join(process.cwd(), "profile-"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1280, height: 900 },
  colorScheme: "light",
  acceptDownloads: true,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = browser.pages()[0] ?? (await browser.newPage());
const complaints = [];
const requests = [];
page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
page.on("pageerror", (error) => complaints.push(error.message));
page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
page.on("request", (request) => requests.push(request.url()));

async function open(file) {
  await page.goto(`file://${resolve(file)}`);
  await page.waitForSelector("html[data-ready]", { timeout: 20_000 });
}
const over = (chart) => page.locator(`#${chart} .u-over`);
// The mouse to a share of a chart's width.
async function hover(chart, share) {
  await over(chart).scrollIntoViewIfNeeded();
  const box = await over(chart).boundingBox();
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
}
// What the tooltip says: series, milliseconds, seconds.
async function tooltip() {
  const rows = await page.locator("#tooltip:not([hidden]) tr").evaluateAll((all) => all.map((row) => [row.dataset.series, ...[...row.cells].slice(1).map((c) => c.textContent)]));
  return rows.map(([series, name, ms, at]) => ({ series: Number(series), name, ms: Number(ms.replace(" ms", "")), at: Number(at.replace(" s", "")) }));
}
const pressed = (selector) => page.locator(selector).getAttribute("aria-pressed");
const canvas = (chart) => page.locator(`#${chart} canvas`).evaluate((c) => c.toDataURL());

try {
  await open("page.html");
  const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));

  // Hostile text is text.
  equal("title", await page.title(), `Plot ${hostile}`);
  equal("headline", await page.locator("h1").textContent(), `Plot ${hostile}`);
  equal("elements from results", await page.locator("#owned, b#owned, img").count(), 0);
  equal("scripts from results", await page.evaluate(() => window.owned), undefined);
  equal("names of runs", await page.locator("#runs .name button").allTextContents(), [hostile, "1.json"]);
  check("error in the caption", (await page.locator("#errors .values").textContent()).includes("</script><img src=x"));

  // A tooltip says what the results say.
  for (const share of [0.05, 0.3, 0.61, 0.98]) {
    await hover("latency", share);
    const rows = await tooltip();
    check(`tooltip at ${share}`, rows.length > 0);
    for (const row of rows) {
      const run = data.series[row.series].run;
      const seq = Math.round(row.at / 0.002);
      const result = runs[run][seq];
      equal(`latency of result ${seq} of run ${run}`, row.ms, result.latency / 1e6);
      equal(`series of result ${seq}`, data.series[row.series].failed, result.error !== "");
    }
  }
  equal("dots at the cursor", await page.locator("#latency .dot").count(), (await tooltip()).length);
  // The spike that would be thinned out is there, as a point or as an extreme.
  check("the spike", data.series.some((s) => [...s.points.y, ...s.extremes.y].includes(runs[0][1234].latency / 1e6)));

  // Hovering one panel reads all: 500 requests leave every second.
  await hover("rate", 0.3);
  check("sent at the cursor", /sent\s*500/.test(await page.locator("#rate .values").textContent()), await page.locator("#rate .values").textContent());
  check("codes at the cursor", /200\s*490.*503\s*10/.test(await page.locator("#codes .values").textContent()), await page.locator("#codes .values").textContent());
  check("tooltip from a panel", (await tooltip()).length > 0);

  // Zoom by dragging; every chart follows.
  const before = { latency: await canvas("latency"), codes: await canvas("codes") };
  await over("latency").scrollIntoViewIfNeeded();
  const box = await over("latency").boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 120, { steps: 4 });
  await page.mouse.up();
  check("zoomed", await page.locator("#whole").isEnabled());
  for (const chart of ["latency", "codes"]) check(`${chart} follows`, (await canvas(chart)) !== before[chart]);
  const end = Math.max(...data.runs.map((run) => run.seconds));
  await hover("codes", 0.001);
  const left = (await tooltip())[0].at;
  await hover("codes", 0.999);
  const right = (await tooltip())[0].at;
  check("left edge", Math.abs(left - end * 0.5) < 0.1, left);
  check("right edge", Math.abs(right - end * 0.75) < 0.1, right);

  // Pan with the keyboard, zoom out again.
  await page.locator("#latency .plot").focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await hover("codes", 0.001);
  check("panned", (await tooltip())[0].at < left - 0.2, (await tooltip())[0].at);
  await page.mouse.move(2, 2);
  await page.locator("#latency .plot").focus();
  await page.keyboard.press("0");
  check("whole again", await page.locator("#whole").isDisabled());
  await page.keyboard.press("ArrowRight");
  check("the cursor by keyboard", (await tooltip()).length > 0);
  check("the cursor in words", /^\d.* s: .*ms/.test(await page.locator("#spoken").textContent()), await page.locator("#spoken").textContent());
  await page.keyboard.press("+");
  check("closer by keyboard", await page.locator("#whole").isEnabled());
  await over("latency").dblclick({ position: { x: 50, y: 50 } });
  check("whole by double click", await page.locator("#whole").isDisabled());

  // Series come and go.
  const ok = data.series.findIndex((s) => s.run === 0 && !s.failed);
  await page.click(`#runs [data-series="${ok}"]`);
  equal("pressed", await pressed(`#runs [data-series="${ok}"]`), "false");
  await hover("latency", 0.61);
  check("a hidden series", !(await tooltip()).some((row) => row.series === ok));
  await page.click(`#runs [data-series="${ok}"]`);
  await hover("latency", 0.61);
  check("a series shown again", (await tooltip()).some((row) => row.series === ok));

  // The common clock: the second run began 20 s after the first.
  equal("own start", await pressed("#own"), "true");
  await page.click("#common");
  equal("common clock", await pressed("#common"), "true");
  await hover("latency", 0.99);
  const late = (await tooltip()).filter((row) => data.series[row.series].run === 1);
  check("the second run on the common clock", late.length > 0 && late.every((row) => row.at > 20 && row.at < 21.1), late);
  for (const row of late) equal("its latency", row.ms, runs[1][Math.round((row.at - 20) / 0.002)].latency / 1e6);
  await page.click("#own");

  // Scales, extremes, percentiles, colours.
  for (const button of ["#linear", "#extremes", '#percentiles [data-quantile="p95"]', "#dark"]) {
    const [was, pixels, lines] = [await pressed(button), await canvas("latency"), await canvas("percentiles")];
    await page.click(button);
    await page.mouse.move(2, 2);
    check(`${button} switches`, (await pressed(button)) !== was);
    check(`${button} draws`, (await canvas("latency")) !== pixels || (await canvas("percentiles")) !== lines);
  }
  equal("theme", await page.locator("html").getAttribute("data-theme"), "dark");

  // A picture of it all.
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
  await download.saveAs("page.png");
  const png = readFileSync("page.png");
  equal("PNG", png.subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
  check("its width", png.readUInt32BE(16) > 1000, png.readUInt32BE(16));
  check("its height", png.readUInt32BE(20) > 1000, png.readUInt32BE(20));
  check("its name", /^Plot-script.*\.png$/.test(download.suggestedFilename()), download.suggestedFilename());

  // Runs that thrum recorded: what was asked, and lag. And a narrow window.
  await open(ramp);
  check("asked", /asked/.test(await page.locator("#rate .values").textContent()));
  equal("lag", await page.locator("#lag").count(), 1);
  await page.setViewportSize({ width: 400, height: 800 });
  await hover("latency", 0.7);
  check("fits a narrow window", await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.waitForFunction(() => document.querySelector("#rate canvas").clientWidth < 400);

  equal("console", complaints, []);
  equal("requests", requests.filter((url) => !url.startsWith("file://") && !url.startsWith("blob:")), []);
  equal("files loaded", requests.filter((url) => url.startsWith("file://")).length, 2);
} catch (error) {
  check("no exception", false, String(error));
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
