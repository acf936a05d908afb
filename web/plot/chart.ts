// One chart: a frame by uPlot that follows the view, a caption with what its lines say at the cursor, mouse and keyboard.

import uPlot from "uplot";
import { atSecond, axisSeconds, timeSteps } from "./format";
import { draw, extent, valueAt, type Line } from "./lines";
import { palette } from "./theme";
import type { View } from "./view";

export interface ChartSpec {
  id: string;
  title: string;
  height: number;
  lines: () => Line[];
  unit: (value: number) => string; // on the axis and in the caption
  logarithmic: () => boolean;
  marks?: () => { at: number; text: string }[];
  controls?: HTMLElement; // at the right of the caption
  readout?: (at: number | null) => void; // instead of values in the caption
}

// 1 to 9 times every power of ten within [min, max]; only the powers where they stand close.
function logarithmicTicks(min: number, max: number, height: number): number[] {
  const ticks: number[] = [];
  const digits = height / Math.log10(max / min) < 30 ? 1 : 9;
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    for (let digit = 1; digit <= digits; digit++) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  }
  return ticks;
}

// Of those the ones that get a label: as many as there is room for.
function readable(ticks: number[], height: number): (number | null)[] {
  const decade = height / Math.max(Math.log10(ticks[ticks.length - 1] / ticks[0]), 0.1);
  const digits = decade > 420 ? "123456789" : decade > 200 ? "12357" : decade > 64 ? "125" : "1";
  const every = Math.max(1, Math.ceil(18 / decade));
  return ticks.map((tick) => {
    const [digit, power] = tick.toExponential().split("e");
    return digits.includes(digit) && Number(power) % every === 0 ? tick : null;
  });
}

const sync = uPlot.sync("thrum");
const gutter = 68; // left of the plotting area, for its labels
const bottom = 30; // below it

export class Chart {
  readonly figure = document.createElement("figure");
  private readonly caption = document.createElement("div");
  private readonly plot = document.createElement("div");
  private u: uPlot | null = null;
  private lines: Line[] = [];

  constructor(
    private readonly view: View,
    readonly spec: ChartSpec,
  ) {
    this.figure.className = "chart";
    this.figure.id = spec.id;
    const head = document.createElement("figcaption");
    const title = document.createElement("h2");
    title.textContent = spec.title;
    this.caption.className = "values";
    head.append(title, this.caption);
    if (spec.controls) head.append(spec.controls);
    this.plot.className = "plot";
    this.plot.tabIndex = 0;
    this.plot.setAttribute("role", "application");
    this.plot.setAttribute("aria-label", `${spec.title}: chart. Arrow keys move the cursor, with Shift they move in time, plus and minus zoom, 0 shows everything.`);
    this.plot.addEventListener("keydown", (event) => this.onKey(event));
    this.figure.append(head, this.plot);
  }

  get over(): HTMLElement {
    return this.u!.over;
  }
  get canvas(): HTMLCanvasElement {
    return this.u!.ctx.canvas;
  }
  get shown(): readonly Line[] {
    return this.lines;
  }
  // Where a value stands, in pixels from the top left of the plotting area.
  position(x: number, y: number): [number, number] {
    const floor = this.u!.scales.y;
    return [this.u!.valToPos(x, "x"), this.u!.valToPos(floor.distr === 3 ? Math.max(y, floor.min!) : y, "y")];
  }

  // Everything anew: lines, colours, scales.
  rebuild(): void {
    this.u?.destroy();
    this.lines = this.spec.lines();
    this.u = new uPlot(this.options(), [[0, 1], [1, 1]], this.plot);
    this.follow();
    this.listen();
    this.readout(null);
  }
  follow(): void {
    this.u?.setScale("x", { min: this.view.from, max: this.view.to });
  }
  resize(): void {
    const width = this.plot.clientWidth;
    if (this.u && width > 0 && width !== this.u.width) this.u.setSize({ width, height: this.spec.height });
  }

  // The cursor where the keyboard has put it.
  point(): void {
    const u = this.u!;
    const at = this.view.cursor;
    u.setCursor(at === null ? { left: -10, top: -10 } : { left: u.valToPos(at, "x"), top: u.over.clientHeight / 2 });
  }
  // The same in words, for those who can't see it.
  words(): string {
    const at = this.view.cursor;
    if (at === null) return "";
    const values = this.lines.map((line) => [line.name, valueAt(line, at)] as const).filter(([, value]) => value !== null);
    return `${atSecond(at)}: ${values.map(([name, value]) => `${name} ${this.spec.unit(value!.y)}`).join(", ") || "nothing"}`;
  }

  private options(): uPlot.Options {
    const colors = palette();
    const font = "12px system-ui, sans-serif";
    const axis = { stroke: colors.faint, grid: { stroke: colors.grid, width: 1 }, ticks: { stroke: colors.grid, width: 1, size: 5 }, font };
    return {
      width: this.plot.clientWidth || 800,
      height: this.spec.height,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
        sync: { key: sync.key, scales: ["x", null], filters: { pub: (type) => type === "mousemove" || type === "mouseleave", sub: () => true } },
        bind: {
          mousedown: (u, _target, handler) => (event: MouseEvent) => {
            if (event.shiftKey) this.dragTime(u, event);
            else handler(event);
            return null;
          },
          dblclick: () => () => {
            this.view.reset();
            return null;
          },
        },
      },
      scales: {
        x: { time: false, auto: false, range: (_u, min, max) => [min, max] },
        y: { distr: this.spec.logarithmic() ? 3 : 1, range: () => this.range() },
      },
      axes: [
        {
          ...axis,
          size: bottom,
          space: () => (this.view.to - this.view.from < 3600 ? 50 : 90),
          incrs: () => timeSteps(this.view.to - this.view.from),
          values: (_u, splits, _axis, _space, step) => splits.map((s) => axisSeconds(s, this.view.to - this.view.from, step)),
        },
        {
          ...axis,
          size: gutter,
          space: 28,
          ...(this.spec.logarithmic()
            ? {
                splits: (_u: uPlot, _axis: number, min: number, max: number) => logarithmicTicks(min, max, this.inner),
                filter: (_u: uPlot, ticks: number[]) => readable(ticks, this.inner),
              }
            : {}),
          values: (_u, splits) => splits.map((s) => (s === null ? "" : this.spec.unit(s))),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        drawClear: [(u) => this.drawMarks(u)],
        draw: [(u) => draw(u, this.lines, this.view.from, this.view.to)],
        setCursor: [(u) => this.readout(u.cursor.left === undefined || u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, "x"))],
        setSelect: [
          (u) => {
            if (u.select.width < 3) return;
            this.view.show(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
  }

  // Height of the plotting area.
  private get inner(): number {
    return this.spec.height - bottom - 8;
  }

  private range(): [number, number] {
    const { positive, low, high } = extent(this.lines, this.view.from, this.view.to);
    if (this.spec.logarithmic()) {
      if (positive === Infinity) return [0.1, 10];
      return [positive / 1.15, Math.max(high * 1.15, positive * 2)];
    }
    if (high === -Infinity) return [0, 1];
    const bottom = Math.min(0, low);
    return [bottom * 1.06, high > bottom ? high + (high - bottom) * 0.06 : bottom + 1];
  }

  private drawMarks(u: uPlot): void {
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.strokeStyle = palette().faint;
    u.ctx.setLineDash([2, 4]);
    for (const mark of this.spec.marks?.() ?? []) {
      const x = Math.round(u.valToPos(mark.at, "x", true));
      if (x < left || x > left + width) continue;
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + height);
      u.ctx.stroke();
    }
    u.ctx.restore();
  }

  private readout(at: number | null): void {
    if (this.spec.readout) {
      this.spec.readout(at);
      return;
    }
    this.caption.replaceChildren(
      ...this.lines.map((line) => {
        const value = at === null ? null : valueAt(line, at);
        const item = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.background = line.color;
        if (line.kind === "steps" && line.dash) swatch.classList.add(line.dash[0] > 2 ? "dashed" : "dotted");
        item.append(swatch, line.name);
        if (at !== null) {
          const text = document.createElement("b");
          // A stacked line's own share, not its height.
          const own = value && line.kind === "steps" && line.base ? value.y - valueAt({ ...line, y: line.base }, at)!.y : value?.y;
          text.textContent = own === undefined ? "–" : this.spec.unit(Number(own.toPrecision(12)));
          item.append(text);
        }
        return item;
      }),
    );
  }

  private listen(): void {
    const over = this.over;
    over.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey) this.view.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.u!.posToVal(event.offsetX, "x"));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.view.pan(((event.deltaX || event.deltaY) / over.clientWidth) * 0.5);
        else return;
        event.preventDefault();
      },
      { passive: false },
    );
  }

  // Shift and drag: time moves with the mouse.
  private dragTime(u: uPlot, start: MouseEvent): void {
    const { from, to } = this.view;
    const perPixel = (to - from) / u.over.clientWidth;
    const move = (event: MouseEvent) => {
      const by = (start.clientX - event.clientX) * perPixel;
      this.view.show(from + by, to + by);
    };
    const end = () => {
      document.removeEventListener("mousemove", move);
      document.removeEventListener("mouseup", end);
    };
    document.addEventListener("mousemove", move);
    document.addEventListener("mouseup", end);
    start.preventDefault();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const u = this.u!;
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (direction !== 0 && event.shiftKey) {
      this.view.pan(direction * 0.15);
    } else if (direction !== 0) {
      const step = (this.view.to - this.view.from) / 100;
      const left = u.cursor.left ?? -1;
      this.view.point(left < 0 ? (this.view.from + this.view.to) / 2 : u.posToVal(left, "x") + direction * step);
      document.getElementById("spoken")!.textContent = this.words();
    } else if (event.key === "+" || event.key === "=") {
      this.view.zoom(0.5);
    } else if (event.key === "-") {
      this.view.zoom(2);
    } else if (event.key === "0") {
      this.view.reset();
    } else if (event.key === "Escape") {
      this.view.point(null);
    } else {
      return;
    }
    event.preventDefault();
  }
}
