// Puts the page together: data, view, table, charts, toolbar.

import { load } from "./data";
import { counted, instant } from "./format";
import { latencyChart, sampleWords } from "./latency";
import { binWords, panels } from "./panels";
import { picture, save } from "./picture";
import { runsTable } from "./runs";
import { chooseTheme, theme, watchTheme } from "./theme";
import { View } from "./view";

const data = load();
const view = new View(data);
const byId = (id: string) => document.getElementById(id)!;

function press(id: string, isPressed: () => boolean, act: () => void): void {
  const button = byId(id);
  const show = () => button.setAttribute("aria-pressed", String(isPressed()));
  button.addEventListener("click", () => {
    act();
    show();
  });
  view.onChange(show);
  show();
}

function summary(): string {
  const starts = data.runs.map((run) => run.start).sort((a, b) => Date.parse(a) - Date.parse(b));
  const words = [sampleWords(data), `from ${instant(starts[0])}`];
  if (data.runs.some((run) => run.clock === "response")) words.push("percentiles count from when requests were due");
  if (data.binSeconds !== 1) words.push(`panels by ${binWords(data.binSeconds)}`);
  const later = data.runs.reduce((sum, run) => sum + run.answeredLater, 0);
  if (later > 0) words.push(`${counted(later, "answer", "answers")} came after the end of the axis`);
  return words.join(" · ");
}

byId("summary").textContent = summary();
runsTable(view, byId("runs") as HTMLTableElement);

const charts = [latencyChart(view), ...panels(view)];
byId("charts").append(...charts.map((chart) => chart.figure));
const rebuild = () => charts.forEach((chart) => chart.rebuild());
watchTheme(() => view.refresh());
rebuild();
view.onChange((what) => {
  if (what === "all") rebuild();
  for (const chart of charts) {
    if (what === "range") chart.follow();
    if (what === "cursor") chart.point();
  }
});
new ResizeObserver(() => charts.forEach((chart) => chart.resize())).observe(byId("charts"));

// A clock to choose, and extremes to hide, only where there are such.
byId("clocks").hidden = data.runs.length < 2;
byId("points").hidden = !data.series.some((series) => series.extremes.x.length > 0);
press("own", () => view.clock === "own", () => view.setClock("own"));
press("common", () => view.clock === "common", () => view.setClock("common"));
press("linear", () => !view.logarithmic, () => view.setLogarithmic(false));
press("log", () => view.logarithmic, () => view.setLogarithmic(true));
press("extremes", () => view.extremes, () => view.setExtremes(!view.extremes));
press("dark", () => theme() === "dark", () => chooseTheme(theme() === "dark" ? "light" : "dark"));
byId("closer").addEventListener("click", () => view.zoom(0.5));
byId("wider").addEventListener("click", () => view.zoom(2));
byId("earlier").addEventListener("click", () => view.pan(-0.25));
byId("later").addEventListener("click", () => view.pan(0.25));
byId("whole").addEventListener("click", () => view.reset());
byId("png").addEventListener("click", () => save(picture(view, charts), data.opts.title));

const zoomButtons = ["earlier", "later", "wider", "whole"].map((id) => byId(id) as HTMLButtonElement);
const showZoom = () => zoomButtons.forEach((button) => (button.disabled = !view.isZoomed()));
view.onChange(showZoom);
showZoom();
document.documentElement.dataset.ready = "true";
