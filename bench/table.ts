/** Columns as wide as their widest cell; the first `left` of them flush left. */
export function table(header: string[], rows: string[][], left = 1): string {
  const all = [header, header.map(() => ''), ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row, index) => {
      const cells = widths.map((width, column) => {
        const cell = index === 1 ? '─'.repeat(width) : (row[column] ?? '');
        return column < left ? cell.padEnd(width) : cell.padStart(width);
      });
      return cells.join('  ').trimEnd();
    })
    .join('\n');
}

/** Three significant figures are more than the machine's noise leaves. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return 'n/a';
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function ratio(value: number | undefined, base: number | undefined): string {
  return value === undefined || base === undefined ? '' : `${(value / base).toFixed(2)}×`;
}
