// Numbers and times for people.

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const count = (n: number): string => plain.format(n);
export const counted = (n: number, one: string, many: string): string => `${count(n)} ${n === 1 ? one : many}`;

// At most `digits` digits that count, no trailing zeros.
export function short(n: number, digits = 4): string {
  if (n === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(n))));
  const text = n.toFixed(Math.min(decimals, 9));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// To the nanosecond: what the results say.
export function exactMilliseconds(ms: number): string {
  const text = ms.toFixed(6);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ms`;
}

// In the unit that fits.
export function milliseconds(ms: number, digits = 4): string {
  const size = Math.abs(ms);
  if (size === 0) return "0 ms";
  if (size < 0.001) return `${short(ms * 1e6, digits)} ns`;
  if (size < 1) return `${short(ms * 1e3, digits)} µs`;
  if (size < 1000) return `${short(ms, digits)} ms`;
  if (size < 1e9) return `${short(ms / 1e3, digits)} s`;
  return `${(ms / 1e3).toExponential(1).replace("e+", "e").replace(".0", "")} s`;
}

export function perSecond(n: number): string {
  if (n > 0 && n < 0.001) return n.toExponential(1).replace(".0", "");
  if (n >= 100_000) return `${short(n / 1000, 4)}k`;
  return n >= 100 ? count(Math.round(n)) : short(n, 3);
}

export function percent(share: number): string {
  if (share === 1 || share === 0) return share === 1 ? "100 %" : "0 %";
  // Never rounded to all or nothing.
  const text = (share * 100).toFixed(2);
  if (text === "100.00") return "> 99.99 %";
  if (text === "0.00") return "< 0.01 %";
  return `${text} %`;
}

// Seconds on an axis whose range is `span` wide.
export function axisSeconds(seconds: number, span: number, step: number): string {
  if (span < 3600) return short(Number(seconds.toFixed(9)), 9);
  const sign = seconds < 0 ? "-" : "";
  const whole = Math.round(Math.abs(seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  if (span > 4 * 86400) return `${sign}${plain.format(Math.floor(hours / 24))}d${hours % 24 ? ` ${hours % 24}h` : ""}`;
  const minutes = `${sign}${hours}:${two(Math.floor((whole % 3600) / 60))}`;
  return step < 60 ? `${minutes}:${two(whole % 60)}` : minutes;
}

// Steps of a time axis, in seconds: decimals up to an hour, then minutes, hours and days.
const shortSteps = [-6, -5, -4, -3, -2, -1, 0, 1, 2].flatMap((power) => [1, 2, 2.5, 5].map((n) => Number(`${n}e${power}`)));
const days = [0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power * 86400));
const longSteps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, ...days];
export const timeSteps = (span: number): number[] => (span < 3600 ? shortSteps : longSteps);

export function atSecond(seconds: number): string {
  return `${short(Number(seconds.toFixed(3)), 12)} s`;
}

// "2024-01-31 12:00:05 UTC"
export function instant(rfc3339: string): string {
  const time = new Date(rfc3339);
  if (Number.isNaN(time.getTime())) return rfc3339;
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
