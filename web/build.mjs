// Bundles each page of web/ into one self-contained HTML file: `node build.mjs FOLDER` writes FOLDER/plot.html.
// The page may run exactly its own script and its own style, by their hashes, and nothing may be fetched.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    legalComments: "inline",
    target: ["chrome100", "firefox100", "safari15.4"],
    write: false,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// Replacements are functions, so that a `$` in a bundle means nothing.
function put(page, name, text) {
  if (!page.includes(`{{${name}}}`)) throw new Error(`no {{${name}}} in the page`);
  return page.replace(`{{${name}}}`, () => text);
}

async function page(name) {
  const script = await bundle(`${name}/main.ts`);
  const style = await bundle(`${name}/page.css`);
  if (/<\/(script|style)/i.test(script + style)) throw new Error("a bundle would end its own element");
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  let html = readFileSync(join(here, name, "page.html"), "utf8");
  html = put(html, "policy", policy);
  html = put(html, "style", style);
  html = put(html, "script", script);
  html = put(html, "license", `uPlot, which is in the script above:\n${readFileSync(join(here, "node_modules/uplot/LICENSE"), "utf8").trim()}`);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${name}.html`), html);
}

await page("plot");
