// Lines of a chart: their data and how they are drawn. uPlot draws frames, axes and cursors; what is inside is drawn here, since
// every line has times of its own and many have more points than the screen has pixels.

import type uPlot from "uplot";
import { firstFrom, nearest } from "./data";

interface Common {
  name: string;
  color: string;
  shift: number; // added to all times
  x: number[];
  y: (number | null)[];
  alpha?: number;
}
export interface Curve extends Common {
  kind: "curve";
  width?: number;
}
export interface Dots extends Common {
  kind: "dots";
  size: number;
}
// y[i] holds from x[i] until the next x, the last one until `end`.
export interface Steps extends Common {
  kind: "steps";
  end: number;
  width?: number;
  dash?: number[];
  base?: number[]; // filled from here; none: a line only
}
export type Line = Curve | Dots | Steps;

// The value that belongs to time `at`: that of its step, or of the nearest point.
export function valueAt(line: Line, at: number): { x: number; y: number } | null {
  const time = at - line.shift;
  let i: number;
  if (line.kind === "steps") {
    if (time < (line.x[0] ?? Infinity) || time > line.end) return null;
    i = firstFrom(line.x, time);
    if (line.x[i] !== time) i--;
  } else {
    i = nearest(line.x, time);
    if (i < 0) return null;
  }
  const y = line.y[i];
  return y === null ? null : { x: line.x[i] + line.shift, y };
}

// First and last index that matter for [from, to], with a neighbour on either side.
function inSight(line: Line, from: number, to: number): [number, number] {
  return [Math.max(0, firstFrom(line.x, from - line.shift) - 1), Math.min(line.x.length - 1, firstFrom(line.x, to - line.shift))];
}

// Lowest positive, lowest and highest value in sight.
export function extent(lines: Line[], from: number, to: number): { positive: number; low: number; high: number } {
  let positive = Infinity;
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    const [first, last] = inSight(line, from, to);
    for (let i = first; i <= last; i++) {
      const time = line.x[i] + line.shift;
      const y = line.y[i];
      if (y === null || time > to || (time < from && line.kind !== "steps")) continue;
      if (y < low) low = y;
      if (y > high) high = y;
      if (y > 0 && y < positive) positive = y;
    }
  }
  return { positive, low, high };
}

const edge = 4; // pixels beyond the ends of the time axis, so that the dots there are whole

export function draw(u: uPlot, lines: Line[], from: number, to: number): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - edge * ratio(), top, width + 2 * edge * ratio(), height);
  ctx.clip();
  ctx.lineJoin = "round";
  for (const line of lines) {
    const [first, last] = inSight(line, from, to);
    if (last < first) continue;
    ctx.globalAlpha = line.alpha ?? 1;
    ctx.strokeStyle = ctx.fillStyle = line.color;
    if (line.kind === "curve") drawCurve(u, line, first, last);
    else if (line.kind === "dots") drawDots(u, line, first, last);
    else drawSteps(u, line, first, last);
  }
  ctx.restore();
}

const ratio = () => window.devicePixelRatio || 1;

// What is at or below zero stands on the floor of a logarithmic scale.
function placeY(u: uPlot, y: number): number {
  const scale = u.scales.y;
  return u.valToPos(scale.distr === 3 ? Math.max(y, scale.min!) : y, "y", true);
}

// Where several points share a column of pixels, its first, lowest, highest and last are drawn: it looks the same.
function drawCurve(u: uPlot, line: Curve, first: number, last: number): void {
  const path = new Path2D();
  let column = NaN;
  let low = 0;
  let high = 0;
  let end = 0;
  let begun = false;
  const leave = () => {
    if (!begun) return;
    path.lineTo(column, low);
    path.lineTo(column, high);
    path.lineTo(column, end);
  };
  for (let i = first; i <= last; i++) {
    const x = Math.round(u.valToPos(line.x[i] + line.shift, "x", true));
    const y = placeY(u, line.y[i]!);
    if (x === column) {
      low = Math.max(low, y);
      high = Math.min(high, y);
      end = y;
      continue;
    }
    leave();
    if (begun) path.lineTo(x, y);
    else path.moveTo(x, y);
    begun = true;
    column = x;
    low = high = end = y;
  }
  leave();
  u.ctx.setLineDash([]);
  u.ctx.lineWidth = (line.width ?? 1) * ratio();
  u.ctx.stroke(path);
}

function drawDots(u: uPlot, line: Dots, first: number, last: number): void {
  const path = new Path2D();
  const radius = (line.size / 2) * ratio();
  const drawn = new Set<number>();
  for (let i = first; i <= last; i++) {
    const x = u.valToPos(line.x[i] + line.shift, "x", true);
    const y = placeY(u, line.y[i]!);
    const pixel = Math.round(x) * 65536 + Math.round(y);
    if (drawn.has(pixel)) continue;
    drawn.add(pixel);
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI);
  }
  u.ctx.fill(path);
}

function drawSteps(u: uPlot, line: Steps, first: number, last: number): void {
  const outline = new Path2D();
  const area = new Path2D();
  let connected = false;
  for (let i = first; i <= last; i++) {
    const y = line.y[i];
    if (y === null) {
      connected = false;
      continue;
    }
    const begin = u.valToPos(line.x[i] + line.shift, "x", true);
    const end = u.valToPos((i + 1 < line.x.length ? line.x[i + 1] : line.end) + line.shift, "x", true);
    const top = placeY(u, y);
    if (connected) outline.lineTo(begin, top);
    else outline.moveTo(begin, top);
    outline.lineTo(end, top);
    connected = true;
    if (line.base) {
      const bottom = placeY(u, line.base[i]);
      if (bottom !== top) area.rect(begin, top, end - begin, bottom - top);
    }
  }
  if (line.base) {
    u.ctx.fill(area);
  } else {
    u.ctx.setLineDash((line.dash ?? []).map((n) => n * ratio()));
    u.ctx.lineWidth = (line.width ?? 1.5) * ratio();
    u.ctx.stroke(outline);
  }
}
