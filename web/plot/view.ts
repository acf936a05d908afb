// What the reader of the page has chosen to see. Everything that draws follows it.

import type { Data, QuantileName } from "./data";

export type Clock = "own" | "common";
// What changed: where the cursor is, which time is in sight, or anything.
export type Change = "cursor" | "range" | "all";

export class View {
  clock: Clock = "own";
  logarithmic = true;
  extremes = true;
  readonly hidden = new Set<number>(); // indices into data.series
  readonly quantiles: Set<QuantileName>;
  // The stretch of time in sight, in seconds.
  from = 0;
  to = 1;
  // Where the keyboard has put the cursor; none: it is the mouse's.
  cursor: number | null = null;

  private listeners: ((what: Change) => void)[] = [];

  constructor(readonly data: Data) {
    this.quantiles = new Set<QuantileName>(data.runs.length === 1 ? ["p50", "p90", "p99", "max"] : ["p50", "p99"]);
    [this.from, this.to] = this.whole();
  }

  onChange(listener: (what: Change) => void): void {
    this.listeners.push(listener);
  }
  private changed(what: Change): void {
    for (const listener of this.listeners) listener(what);
  }

  // Nothing was chosen, but all is to be drawn anew: colours changed.
  refresh(): void {
    this.changed("all");
  }

  // Where a run's second 0 is on the axis.
  startOf(run: number): number {
    return this.clock === "common" ? this.data.runs[run].after : 0;
  }
  whole(): [number, number] {
    const end = Math.max(...this.data.runs.map((run, i) => this.startOf(i) + run.seconds));
    return [0, Math.max(end, 0.01)];
  }
  isZoomed(): boolean {
    const [from, to] = this.whole();
    return this.from !== from || this.to !== to;
  }
  isVisible(run: number): boolean {
    return this.data.series.some((series, i) => series.run === run && !this.hidden.has(i));
  }

  setClock(clock: Clock): void {
    this.clock = clock;
    [this.from, this.to] = this.whole();
    this.changed("all");
  }
  setLogarithmic(on: boolean): void {
    this.logarithmic = on;
    this.changed("all");
  }
  setExtremes(on: boolean): void {
    this.extremes = on;
    this.changed("all");
  }
  toggleSeries(index: number): void {
    if (!this.hidden.delete(index)) this.hidden.add(index);
    this.changed("all");
  }
  // All series of a run: visible if any was hidden, else hidden.
  toggleRun(run: number): void {
    const own = this.data.series.map((_, i) => i).filter((i) => this.data.series[i].run === run);
    const show = own.some((i) => this.hidden.has(i));
    for (const i of own) {
      if (show) this.hidden.delete(i);
      else this.hidden.add(i);
    }
    this.changed("all");
  }
  toggleQuantile(name: QuantileName): void {
    if (!this.quantiles.delete(name)) this.quantiles.add(name);
    this.changed("all");
  }

  // Shows [from, to], kept within what there is and not narrower than a millisecond.
  show(from: number, to: number): void {
    const [first, last] = this.whole();
    const width = Math.min(Math.max(to - from, 0.001), last - first);
    this.from = Math.min(Math.max(from, first), last - width);
    this.to = this.from + width;
    if (width === last - first) [this.from, this.to] = [first, last];
    this.changed("range");
  }
  point(at: number | null): void {
    this.cursor = at === null ? null : Math.min(Math.max(at, this.from), this.to);
    this.changed("cursor");
  }
  reset(): void {
    this.show(...this.whole());
  }
  // factor < 1 comes closer; `around` stays where it is.
  zoom(factor: number, around = (this.from + this.to) / 2): void {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }
  // By a share of what is in sight.
  pan(share: number): void {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }
}
