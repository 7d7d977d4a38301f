export const OUTPUTS = ['table', 'json', 'yaml'] as const;

export type Output = (typeof OUTPUTS)[number];
