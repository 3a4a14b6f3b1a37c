// The theme (light, dark, or that of the system), and the colours of tokens.css for canvases.
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'theme';
const ORDER: Theme[] = ['system', 'light', 'dark'];

let chosen = $state<Theme>((localStorage.getItem(KEY) as Theme | null) ?? 'system');
let revision = $state(0);
let colours: Record<string, string> = {};
function coloursChanged() { colours = {}; revision += 1; }

function apply() {
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
  coloursChanged();
}
apply();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', coloursChanged);

export const theme = {
  get chosen() { return chosen; },
  /** Changes whenever colours do: read it where a canvas is drawn. */
  get revision() { return revision; },
  next() {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length] ?? 'system';
    localStorage.setItem(KEY, chosen);
    apply();
  },
};

const probe = document.createElement('span');
probe.hidden = true;
document.documentElement.append(probe);

/** Returns the colour of a token as CSS text that canvases understand; cached for each theme. */
export function colour(token: string): string {
  const known = colours[token];
  if (known !== undefined) return known;
  probe.style.color = `var(--${token})`;
  return (colours[token] = getComputedStyle(probe).color);
}
