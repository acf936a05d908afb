// Colours, light and dark. Runs have the colours of a small palette in turn; failures are red in every run.

export type Theme = "light" | "dark";

export interface Palette {
  page: string;
  card: string;
  text: string;
  faint: string;
  grid: string;
  cursor: string;
  runs: string[];
  failures: string[];
  quantiles: string[]; // from p50 to max
  codes: Record<string, string[]>; // by first digit
  other: string;
  errors: string[];
}

const light: Palette = {
  page: "#f6f7f9",
  card: "#ffffff",
  text: "#1b2430",
  faint: "#5d6b7c",
  grid: "#e6eaef",
  cursor: "#1b2430",
  runs: ["#2563d9", "#0c8f75", "#8447e0", "#b97a00", "#0b86a8", "#b5299a", "#5a7d16", "#5f6f86"],
  failures: ["#d92d20", "#a8123e", "#e2561b", "#8d1a1a"],
  quantiles: ["#1f8a70", "#2563d9", "#6a4fe0", "#9b3fd1", "#c22d8f", "#d9701a"],
  codes: {
    "0": ["#6b7280"],
    "1": ["#7aa2c4"],
    "2": ["#2f9e68", "#58b98a", "#86cfa9"],
    "3": ["#2f7fd0", "#68a6e3", "#9ac4ee"],
    "4": ["#d18b00", "#e3ab3d", "#efc878"],
    "5": ["#d92d20", "#e8665c", "#f0938b"],
  },
  other: "#9aa5b3",
  errors: ["#d92d20", "#e2711d", "#c99700", "#8447e0", "#b5299a", "#0b86a8", "#5a7d16", "#7c5c46"],
};

const dark: Palette = {
  page: "#0e131a",
  card: "#161d26",
  text: "#e6ebf2",
  faint: "#96a3b4",
  grid: "#273140",
  cursor: "#e6ebf2",
  runs: ["#6aa5ff", "#2fd0aa", "#b493ff", "#f0b73e", "#38c5e4", "#f07bd6", "#a5cf52", "#a2b0c4"],
  failures: ["#ff6b5e", "#ff7a9c", "#ff9a5c", "#e8807f"],
  quantiles: ["#3fd0a4", "#6aa5ff", "#9d8bff", "#c98bff", "#f07bc6", "#ffae5c"],
  codes: {
    "0": ["#8b98aa"],
    "1": ["#7aa2c4"],
    "2": ["#3cba80", "#2c9464", "#7bd6ab"],
    "3": ["#4c9aee", "#2f74bd", "#8fc0f5"],
    "4": ["#e6a935", "#b9831d", "#f2cc80"],
    "5": ["#ff6b5e", "#c9483d", "#ff9f96"],
  },
  other: "#6d7a8c",
  errors: ["#ff6b5e", "#ff9a4d", "#e6c235", "#b493ff", "#f07bd6", "#38c5e4", "#a5cf52", "#c9a58b"],
};

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = null;
let printing = false;

export function theme(): Theme {
  if (printing) return "light";
  return chosen ?? (systemIsDark.matches ? "dark" : "light");
}

export const palette = (): Palette => (theme() === "dark" ? dark : light);

// Calls `changed` whenever theme() does. Paper is light.
export function watchTheme(changed: () => void): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme();
    changed();
  };
  systemIsDark.addEventListener("change", apply);
  for (const [event, value] of [["beforeprint", true], ["afterprint", false]] as const) {
    window.addEventListener(event, () => {
      printing = value;
      apply();
    });
  }
  document.documentElement.dataset.theme = theme();
}

export function chooseTheme(value: Theme): void {
  chosen = value;
  systemIsDark.dispatchEvent(new Event("change"));
}

export const cycle = (colors: string[], i: number): string => colors[i % colors.length];

export function codeColors(codes: string[], hasOthers: boolean): string[] {
  const colors = palette();
  const seen: Record<string, number> = {};
  const all = codes.map((code) => {
    const family = code === "0" ? "0" : code[0];
    const shades = code.length === 3 || code === "0" ? colors.codes[family] : undefined;
    if (!shades) return colors.other;
    seen[family] = (seen[family] ?? -1) + 1;
    return cycle(shades, seen[family]);
  });
  return hasOthers ? [...all, colors.other] : all;
}
