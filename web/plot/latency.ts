// The main chart: the latency of every request shown, by when it was sent. Vegeta's series, and the extremes between them.

import { Chart } from "./chart";
import type { Data, Series } from "./data";
import { count, counted, exactMilliseconds, milliseconds } from "./format";
import { valueAt, type Line } from "./lines";
import { cycle, palette } from "./theme";
import type { View } from "./view";

const few = 400; // points of which each is marked
const many = 1000; // failures that would hide everything else
const mostInTooltip = 12;

export function seriesColor(data: Data, index: number): string {
  const series = data.series[index];
  if (!series.failed) return cycle(palette().runs, series.run);
  return cycle(palette().failures, data.series.slice(0, index).filter((s) => s.failed).length);
}

export function seriesName(data: Data, series: Series): string {
  return `${data.runs[series.run].name}: ${series.failed ? "ERROR" : "OK"}`;
}

function linesOf(view: View, index: number): Line[] {
  const { data } = view;
  const series = data.series[index];
  const common = { name: seriesName(data, series), color: seriesColor(data, index), shift: view.startOf(series.run) };
  const points = { ...common, x: series.points.x, y: series.points.y };
  const lines: Line[] = [];
  if (!series.failed) lines.push({ kind: "curve", ...points, alpha: 0.85 });
  if (series.failed) lines.push({ kind: "dots", ...points, ...(points.x.length <= many ? { size: 4.5, alpha: 0.9 } : { size: 3, alpha: 0.6 }) });
  else if (points.x.length <= few) lines.push({ kind: "dots", ...points, size: 4 });
  if (view.extremes) lines.push({ kind: "dots", ...common, x: series.extremes.x, y: series.extremes.y, size: 3, alpha: 0.55 });
  return lines;
}

export function latencyChart(view: View): Chart {
  const { data } = view;
  const tooltip = document.createElement("div");
  tooltip.className = "tooltip";
  tooltip.id = "tooltip";
  const dots: HTMLElement[] = [];
  const visible = () => data.series.map((_, i) => i).filter((i) => !view.hidden.has(i));

  const chart: Chart = new Chart(view, {
    id: "latency",
    title: data.runs.some((run) => run.clock === "response") ? "Latency, from when sent" : "Latency",
    height: 380,
    unit: (ms) => milliseconds(ms, 3),
    logarithmic: () => view.logarithmic,
    // Failures on top of what went well.
    lines: () => visible().sort((a, b) => Number(data.series[a].failed) - Number(data.series[b].failed)).flatMap((i) => linesOf(view, i)),
    marks: () => data.runs.flatMap((run, i) => (view.isVisible(i) ? run.marks.map((m) => ({ ...m, at: m.at + view.startOf(i) })) : [])),
    readout: (at) => readout(at),
  });

  interface Hit {
    index: number;
    x: number;
    y: number;
  }
  // Of every series in sight the point nearest in time. Beyond its ends a series has nothing to say.
  function hits(at: number): Hit[] {
    const all: Hit[] = [];
    const near = ((view.to - view.from) / chart.over.clientWidth) * 30;
    for (const index of visible()) {
      const { x } = data.series[index].points;
      const time = at - view.startOf(data.series[index].run);
      if (time < x[0] - near || time > x[x.length - 1] + near) continue;
      const found = linesOf(view, index)
        .map((line) => valueAt(line, at))
        .filter((p): p is { x: number; y: number } => p !== null && p.x >= view.from && p.x <= view.to)
        .sort((a, b) => Math.abs(a.x - at) - Math.abs(b.x - at))[0];
      if (found) all.push({ index, ...found });
    }
    return all.sort((a, b) => Math.abs(a.x - at) - Math.abs(b.x - at)).slice(0, mostInTooltip);
  }

  function readout(at: number | null): void {
    const found = at === null ? [] : hits(at);
    for (const dot of dots.splice(0)) dot.remove();
    tooltip.hidden = found.length === 0;
    if (at === null || found.length === 0) return;
    for (const hit of found) {
      const [left, top] = chart.position(hit.x, hit.y);
      const dot = document.createElement("div");
      dot.className = "dot";
      dot.style.left = `${left}px`;
      dot.style.top = `${top}px`;
      dot.style.borderColor = seriesColor(data, hit.index);
      chart.over.append(dot);
      dots.push(dot);
    }
    const rows = found
      .sort((a, b) => b.y - a.y)
      .map((hit) => {
        const series = data.series[hit.index];
        const row = document.createElement("tr");
        row.dataset.series = String(hit.index);
        const swatch = document.createElement("i");
        swatch.style.background = seriesColor(data, hit.index);
        for (const content of [swatch, seriesName(data, series), exactMilliseconds(hit.y), `${hit.x.toFixed(3)} s`]) {
          const cell = document.createElement("td");
          cell.append(content);
          row.append(cell);
        }
        return row;
      });
    const table = document.createElement("table");
    table.append(...rows);
    const marks = (chart.spec.marks?.() ?? []).filter((m) => Math.abs(m.at - at) < (view.to - view.from) / 200);
    tooltip.replaceChildren(table, ...marks.map((m) => Object.assign(document.createElement("p"), { textContent: m.text })));
    chart.over.append(tooltip);
    // Beside the cursor where there is room, within the chart in any case.
    const [x] = chart.position(at, 0);
    const room = chart.over.clientWidth - tooltip.offsetWidth;
    const beside = x < chart.over.clientWidth / 2 ? x + 14 : x - 14 - tooltip.offsetWidth;
    tooltip.style.left = `${Math.max(0, Math.min(beside, room))}px`;
  }

  return chart;
}

// How many of how many results the chart shows, in words.
export function sampleWords(data: Data): string {
  const results = data.series.reduce((sum, s) => sum + s.results, 0);
  const points = data.series.reduce((sum, s) => sum + s.points.x.length, 0);
  const extremes = data.series.reduce((sum, s) => sum + s.extremes.x.length, 0);
  const all = `${counted(results, "result", "results")}${data.runs.length > 1 ? ` of ${count(data.runs.length)} runs` : ""}`;
  return points === results ? `${all}, every one shown` : `${all}, shown by ${count(points)} points and ${count(extremes)} extremes`;
}
