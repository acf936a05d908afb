// The panels below the main chart: what happened in each second (or wider bin) of the runs in sight.

import { Chart } from "./chart";
import { quantileNames, type Data, type Quantiles, type Run } from "./data";
import { milliseconds, perSecond } from "./format";
import type { Line, Steps } from "./lines";
import { codeColors, cycle, palette } from "./theme";
import type { View } from "./view";

const height = 150;
const dashes = { asked: [6, 4], answered: [2, 3] };
const quantileDashes: Record<string, number[] | undefined> = { p50: [2, 3], p90: [4, 3], p95: [8, 3], "p99.9": [12, 3, 2, 3], max: [1, 5] };

const per = (data: Data): string => (data.binSeconds === 1 ? "per second" : `per ${binWords(data.binSeconds)}`);

export function binWords(seconds: number): string {
  if (seconds % 3600 === 0) return seconds === 3600 ? "hour" : `${seconds / 3600} hours`;
  if (seconds % 60 === 0) return seconds === 60 ? "minute" : `${seconds / 60} minutes`;
  return seconds === 1 ? "second" : `${seconds} seconds`;
}

// Where a run's bins begin.
function times(data: Data, bins: number): number[] {
  return Array.from({ length: bins }, (_, i) => i * data.binSeconds);
}

function steps(view: View, run: Run, index: number, name: string, y: (number | null)[]): Steps {
  const { data } = view;
  const color = cycle(palette().runs, index);
  return { kind: "steps", name: data.runs.length > 1 ? `${run.name} ${name}` : name, color, shift: view.startOf(index), x: times(data, y.length), y, end: run.seconds };
}

const visibleRuns = (view: View): [Run, number][] =>
  view.data.runs.map((run, i): [Run, number] => [run, i]).filter(([, i]) => view.isVisible(i));

function rateChart(view: View): Chart {
  const rate = (counts: number[]) => counts.map((n) => n / view.data.binSeconds);
  return new Chart(view, {
    id: "rate",
    title: "Requests per second",
    height,
    unit: perSecond,
    logarithmic: () => false,
    lines: () =>
      visibleRuns(view).flatMap(([run, i]) => {
        const lines: Line[] = [];
        if (run.bins.asked) lines.push({ ...steps(view, run, i, "asked", rate(run.bins.asked)), dash: dashes.asked, alpha: 0.8 });
        lines.push({ ...steps(view, run, i, "sent", rate(run.bins.sent)), width: 2 });
        lines.push({ ...steps(view, run, i, "answered", rate(run.bins.answered)), dash: dashes.answered });
        return lines;
      }),
  });
}

// One line for each chosen percentile; several runs keep their colours, and percentiles tell apart by dashes.
function quantileLines(view: View, of: (run: Run) => Quantiles<(number | null)[]> | null): Line[] {
  const runs = visibleRuns(view);
  const single = view.data.runs.length === 1;
  return runs.flatMap(([run, i]) => {
    const quantiles = of(run);
    if (!quantiles) return [];
    return quantileNames
      .map((name, n) => ({ name, color: palette().quantiles[n] }))
      .filter(({ name }) => view.quantiles.has(name))
      .map(({ name, color }): Line => {
        const line = steps(view, run, i, name, quantiles[name]);
        if (single) return { ...line, color };
        const dash = quantileDashes[name];
        return dash ? { ...line, dash } : line;
      });
  });
}

function quantileControls(view: View): HTMLElement {
  const group = document.createElement("div");
  group.className = "chips";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Percentiles");
  const buttons = quantileNames.map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.dataset.quantile = name;
    button.addEventListener("click", () => view.toggleQuantile(name));
    return button;
  });
  const show = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(view.quantiles.has(quantileNames[i]))));
  view.onChange(show);
  show();
  group.append(...buttons);
  return group;
}

function quantileChart(view: View): Chart {
  const clocks = new Set(view.data.runs.map((run) => run.clock));
  const clock = clocks.size > 1 ? "each run’s own clock" : clocks.has("response") ? "from when due" : "from when sent";
  return new Chart(view, {
    id: "percentiles",
    title: `Latency percentiles ${per(view.data)}, ${clock}`,
    height: 190,
    unit: (ms) => milliseconds(ms, 3),
    logarithmic: () => view.logarithmic,
    controls: quantileControls(view),
    lines: () => quantileLines(view, (run) => run.bins.latency),
  });
}

function lagChart(view: View): Chart {
  return new Chart(view, {
    id: "lag",
    title: `Lag ${per(view.data)}: how late requests left`,
    height,
    unit: (ms) => milliseconds(ms, 3),
    logarithmic: () => false,
    lines: () => quantileLines(view, (run) => run.bins.lag),
  });
}

// Counts of all runs in sight, one line on top of the other. Runs that begin between bins move to the nearest one.
function stack(view: View, names: string[], colors: string[], of: (run: Run) => (number[] | null)[]): Line[] {
  const { data } = view;
  const bin = data.binSeconds;
  const parts = visibleRuns(view).map(([run, i]) => ({ run, first: Math.round(view.startOf(i) / bin) }));
  const size = Math.max(0, ...parts.map(({ run, first }) => first + run.bins.sent.length));
  const end = Math.max(0, ...parts.map(({ run, first }) => first * bin + run.seconds));
  const x = times(data, size);
  let base = new Array<number>(size).fill(0);
  const lines: Line[] = [];
  names.forEach((name, line) => {
    const y = base.slice();
    for (const { run, first } of parts) of(run)[line]?.forEach((n, i) => (y[first + i] += n / bin));
    if (y.some((top, i) => top !== base[i])) lines.push({ kind: "steps", name, color: colors[line], shift: 0, x, y, base, end, alpha: 0.88 });
    base = y;
  });
  return lines;
}

function codesChart(view: View): Chart {
  const { data } = view;
  const names = data.codes.map((code) => (code === "0" ? "no answer" : code));
  if (data.otherCodes) names.push("other codes");
  return new Chart(view, {
    id: "codes",
    title: "Status codes per second",
    height,
    unit: perSecond,
    logarithmic: () => false,
    lines: () => stack(view, names, codeColors(data.codes, data.otherCodes), (run) => run.bins.codes),
  });
}

function errorsChart(view: View): Chart {
  const { data } = view;
  const names = data.otherErrors ? [...data.errors, "other errors"] : data.errors;
  return new Chart(view, {
    id: "errors",
    title: "Errors per second",
    height,
    unit: perSecond,
    logarithmic: () => false,
    lines: () => {
      const colors = data.errors.map((_, i) => cycle(palette().errors, i));
      return stack(view, names, [...colors, palette().other], (run) => run.bins.errors);
    },
  });
}

export function panels(view: View): Chart[] {
  const { data } = view;
  const charts = [rateChart(view), quantileChart(view), codesChart(view)];
  if (data.errors.length > 0 || data.otherErrors) charts.push(errorsChart(view));
  if (data.runs.some((run) => run.bins.lag)) charts.push(lagChart(view));
  return charts;
}
