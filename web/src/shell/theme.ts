export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'mcpproxy theme';
const NEXT: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };

export function currentTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

export function applyTheme(theme: Theme = currentTheme()): void {
  document.documentElement.dataset.theme = theme;
}

export function nextTheme(): Theme {
  const theme = NEXT[currentTheme()];
  localStorage.setItem(KEY, theme);
  applyTheme(theme);
  return theme;
}
