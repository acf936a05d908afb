// The page as one PNG: title, runs and all charts as they are shown.

import type { Chart } from "./chart";
import type { Data } from "./data";
import type { Line } from "./lines";
import { sampleWords, seriesColor } from "./latency";
import { columns } from "./runs";
import { palette } from "./theme";
import type { View } from "./view";

const margin = 24;
const family = "system-ui, sans-serif";

// Cut with an ellipsis to at most `width` pixels.
function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && ctx.measureText(`${letters.join("")}…`).width > width) letters.pop();
  return `${letters.join("")}…`;
}

class Sheet {
  y = 0; // where the next line of text stands
  constructor(
    readonly ctx: CanvasRenderingContext2D,
    readonly width: number,
  ) {}
  text(text: string, x: number, size: number, color: string, weight = 400, width = this.width - x - margin): number {
    this.ctx.font = `${weight} ${size}px ${family}`;
    this.ctx.fillStyle = color;
    const shown = fitted(this.ctx, text, width);
    this.ctx.fillText(shown, x, this.y);
    return this.ctx.measureText(shown).width;
  }
}

function drawRuns(sheet: Sheet, data: Data): void {
  const colors = palette();
  const shown = columns(data);
  const first = margin + Math.max(160, (sheet.width - 2 * margin) * 0.28);
  const each = (sheet.width - margin - first) / shown.length;
  shown.forEach((column, i) => sheet.text(column.title, first + i * each, 11, colors.faint, 600, each - 8));
  sheet.y += 20;
  data.runs.forEach((run, r) => {
    let x = margin;
    data.series.forEach((series, i) => {
      if (series.run !== r) return;
      sheet.ctx.fillStyle = seriesColor(data, i);
      sheet.ctx.fillRect(x, sheet.y - 9, 10, 10);
      x += 14;
    });
    sheet.text(run.name, x + 4, 13, colors.text, 600, first - x - 16);
    shown.forEach((column, i) => sheet.text(column.value(run), first + i * each, 12, colors.text, 400, each - 8));
    sheet.y += 20;
  });
}

function drawSwatch(sheet: Sheet, line: Line, x: number): void {
  const { ctx } = sheet;
  if (line.kind !== "steps" || line.base) {
    ctx.fillStyle = line.color;
    ctx.fillRect(x + 4, sheet.y - 8, 9, 9);
    return;
  }
  ctx.save();
  ctx.strokeStyle = line.color;
  ctx.lineWidth = line.width ?? 1.5;
  ctx.setLineDash(line.dash ?? []);
  ctx.beginPath();
  ctx.moveTo(x, sheet.y - 4);
  ctx.lineTo(x + 15, sheet.y - 4);
  ctx.stroke();
  ctx.restore();
}

function drawChart(sheet: Sheet, chart: Chart, scale: number): void {
  const colors = palette();
  const canvas = chart.canvas;
  const first = margin + sheet.text(chart.spec.title, margin, 13, colors.text, 600) + 18;
  let x = first;
  for (const line of chart.spec.readout ? [] : chart.shown) {
    sheet.ctx.font = `400 11px ${family}`;
    if (x > first && x + 34 + sheet.ctx.measureText(line.name).width > sheet.width) {
      x = first;
      sheet.y += 16;
    }
    drawSwatch(sheet, line, x);
    x += 20;
    x += sheet.text(line.name, x, 11, colors.faint) + 14;
  }
  sheet.y += 10;
  sheet.ctx.drawImage(canvas, margin, sheet.y, canvas.width / scale, canvas.height / scale);
  sheet.y += canvas.height / scale + 24;
}

function drawPage(sheet: Sheet, view: View, charts: Chart[], scale: number): void {
  const { data } = view;
  sheet.y = margin + 18;
  sheet.text(data.opts.title, margin, 22, palette().text, 650);
  sheet.y += 22;
  sheet.text(sampleWords(data), margin, 12, palette().faint);
  sheet.y += 32;
  drawRuns(sheet, data);
  sheet.y += 20;
  for (const chart of charts) drawChart(sheet, chart, scale);
}

export function picture(view: View, charts: Chart[]): HTMLCanvasElement {
  const scale = window.devicePixelRatio || 1;
  const width = charts[0].canvas.width / scale + 2 * margin;
  const canvas = document.createElement("canvas");
  const ctx = canvas.getContext("2d")!;
  // Once to see how tall it gets, once for good.
  const trial = new Sheet(ctx, width);
  drawPage(trial, view, charts, scale);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(trial.y * scale);
  ctx.scale(scale, scale);
  ctx.fillStyle = palette().card;
  ctx.fillRect(0, 0, width, trial.y);
  drawPage(new Sheet(ctx, width), view, charts, scale);
  return canvas;
}

export function save(canvas: HTMLCanvasElement, title: string): void {
  canvas.toBlob((blob) => {
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 80) || "plot"}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
}
