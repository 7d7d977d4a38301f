/** One expression of a URI template (RFC 6570), as `{name}`, `{+path}` or `{?from,to}`. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]{1,300})\}/g;
/** What stands before the values of an operator, between them, and whether the names stand beside them. */
const OPERATORS: Record<string, { first: string; between: string; isNamed: boolean; isRaw?: true }> = {
  '': { first: '', between: ',', isNamed: false },
  '+': { first: '', between: ',', isNamed: false, isRaw: true },
  '#': { first: '#', between: ',', isNamed: false, isRaw: true },
  '.': { first: '.', between: '.', isNamed: false },
  '/': { first: '/', between: '/', isNamed: false },
  ';': { first: ';', between: ';', isNamed: true },
  '?': { first: '?', between: '&', isNamed: true },
  '&': { first: '&', between: '&', isNamed: true },
};

const namesOf = (list: string): string[] => list.split(',').map((name) => name.replace(/\*$|:\d+$/, ''));

/** The names of the values that a template asks for. */
export const namesIn = (template: string): string[] => [
  ...new Set([...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => namesOf(list))),
];

/** The address that a template stands for. A value that is not given yet stays as it is written. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(EXPRESSION, (whole, operator: string, list: string) => {
    const names = namesOf(list);
    if (names.every((name) => !values[name])) return whole;
    const { first, between, isNamed, isRaw } = OPERATORS[operator]!;
    const shown = names
      .filter((name) => values[name])
      .map((name) => {
        const value = isRaw ? encodeURI(values[name]!) : encodeURIComponent(values[name]!);
        return isNamed ? `${name}=${value}` : value;
      });
    return first + shown.join(between);
  });
}
