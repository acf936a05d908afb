// What `thrum plot` puts into the page; docs/plot.md describes it for other readers. All of it comes from results files and is
// hostile: texts go into the page as text nodes only.

export interface Places {
  x: number[]; // seconds from the run's first request
  y: number[]; // milliseconds
}

export interface Series {
  run: number; // index into runs
  failed: boolean;
  results: number;
  points: Places;
  extremes: Places;
}

export const quantileNames = ["p50", "p90", "p95", "p99", "p99.9", "max"] as const;
export type QuantileName = (typeof quantileNames)[number];
export type Quantiles<T> = Record<QuantileName, T>;

export interface Bins {
  asked: number[] | null;
  sent: number[];
  answered: number[];
  latency: Quantiles<(number | null)[]>;
  lag: Quantiles<(number | null)[]> | null;
  codes: (number[] | null)[]; // by line: data.codes, then the others
  errors: (number[] | null)[];
}

export interface Run {
  name: string;
  attack: string;
  files: string[];
  start: string;
  after: number; // seconds from the start of the run that began first
  seconds: number; // until its last answer, or the end of its schedule
  results: number;
  succeeded: number;
  answered: number;
  answeredLater: number; // after the end of the panels
  asked: string;
  missed: number | null;
  clock: "service" | "response";
  latency: Quantiles<number>;
  lag: Quantiles<number> | null;
  marks: { at: number; text: string }[];
  bins: Bins;
}

export interface Data {
  opts: { title: string; labels: string[]; colors: string[] };
  series: Series[]; // series[i] is opts.labels[i + 1]
  runs: Run[];
  binSeconds: number;
  codes: string[];
  otherCodes: boolean;
  errors: string[];
  otherErrors: boolean;
  thrum: string;
}

export function load(): Data {
  return JSON.parse(document.getElementById("data")!.textContent!) as Data;
}

// Index of the entry of ascending `xs` that is nearest to x; -1 if there is none.
export function nearest(xs: ArrayLike<number>, x: number): number {
  const after = firstFrom(xs, x);
  if (after === 0) return xs.length > 0 ? 0 : -1;
  if (after === xs.length) return after - 1;
  return xs[after] - x < x - xs[after - 1] ? after : after - 1;
}

// Index of the first entry that is not less than x; xs.length if all are.
export function firstFrom(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
