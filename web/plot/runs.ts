// The table of runs: what each came to, and the switches of its series.

import type { Data } from "./data";
import { count, instant, milliseconds, percent } from "./format";
import { seriesColor, seriesName } from "./latency";
import type { View } from "./view";

function element<K extends keyof HTMLElementTagNameMap>(name: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export interface Column {
  title: string;
  value: (run: Data["runs"][number]) => string;
}

export function columns(data: Data): Column[] {
  const all: Column[] = [
    { title: "Results", value: (run) => count(run.results) },
    { title: "Success", value: (run) => percent(run.succeeded / run.results) },
  ];
  if (data.runs.some((run) => run.asked)) all.push({ title: "Rate asked", value: (run) => run.asked || "–" });
  if (data.runs.some((run) => run.missed)) all.push({ title: "Missed", value: (run) => (run.missed === null ? "–" : count(run.missed)) });
  for (const name of ["p50", "p90", "p99", "p99.9", "max"] as const) {
    all.push({ title: name, value: (run) => milliseconds(run.latency[name]) });
  }
  if (data.runs.some((run) => run.lag)) all.push({ title: "Lag p99", value: (run) => (run.lag ? milliseconds(run.lag.p99) : "–") });
  return all;
}

function switchOf(view: View, index: number): HTMLButtonElement {
  const series = view.data.series[index];
  const button = element("button", "", "series");
  button.type = "button";
  button.dataset.series = String(index);
  button.title = `Show or hide ${seriesName(view.data, series)}`;
  button.setAttribute("aria-label", `${seriesName(view.data, series)}, ${count(series.results)} results`);
  const swatch = element("i");
  button.append(swatch, series.failed ? "ERROR " : "OK ", element("b", count(series.results)));
  button.addEventListener("click", () => view.toggleSeries(index));
  const show = () => {
    swatch.style.background = seriesColor(view.data, index);
    button.setAttribute("aria-pressed", String(!view.hidden.has(index)));
  };
  view.onChange((what) => what === "all" && show());
  show();
  return button;
}

export function runsTable(view: View, table: HTMLTableElement): void {
  const { data } = view;
  const head = element("tr");
  const shown = columns(data);
  for (const title of ["Run", "Series", ...shown.map((c) => c.title)]) head.append(element("th", title));
  table.createTHead().append(head);
  const body = table.createTBody();
  data.runs.forEach((run, r) => {
    const row = element("tr");
    const name = element("th", "", "name");
    name.scope = "row";
    const button = element("button", run.name);
    button.type = "button";
    button.title = `Show or hide ${run.name}`;
    button.addEventListener("click", () => view.toggleRun(r));
    name.append(button, element("small", [instant(run.start), ...run.files.filter((file) => file !== run.name)].join(" · ")));
    const series = element("td", "", "switches");
    data.series.forEach((s, i) => {
      if (s.run === r) series.prepend(switchOf(view, i));
    });
    row.append(name, series, ...shown.map((column) => element("td", column.value(run))));
    body.append(row);
    view.onChange(() => row.classList.toggle("off", !view.isVisible(r)));
  });
}
