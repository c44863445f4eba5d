const KEY = 'scheme';
export const SCHEMES = ['system', 'light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

/** The reader's choice of colors; that of the system by default. */
export function chosenScheme(): Scheme {
  const stored = localStorage.getItem(KEY);
  return SCHEMES.find(scheme => scheme === stored) ?? 'system';
}

/** Whether the page has dark colors now. */
export const isDark = (): boolean =>
  chosenScheme() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : chosenScheme() === 'dark';

/** Stores a choice, if given, and shows the page in the chosen colors. */
export function applyScheme(scheme = chosenScheme()): void {
  localStorage.setItem(KEY, scheme);
  if (scheme === 'system') delete document.documentElement.dataset['scheme'];
  else document.documentElement.dataset['scheme'] = scheme;
}
