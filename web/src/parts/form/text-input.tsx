import type { Shape } from './shape.ts';

/** Formats for which browsers have a field of their own that yields exactly this format. */
const TYPES: Record<string, string> = { date: 'date', email: 'email', uri: 'url', password: 'password' };
/** What a value of another format looks like. */
const LOOKS: Record<string, string> = {
  'date-time': '2026-01-31T12:30:00Z',
  time: '12:30:00Z',
  duration: 'P1DT2H',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'host.example',
};
/** Texts that are limited to fewer characters stay on one line. */
const LINE = 200;

interface Props {
  path: string;
  shape: Extract<Shape, { kind: 'text' }>;
  value: string;
  required: boolean;
  example: string | undefined;
  onChange: (value: unknown) => void;
}

/** A field for text, as its format asks for. An empty one is left out. */
export function TextInput({ path, shape, value, required, example, onChange }: Props) {
  const { format, minLength, maxLength, pattern } = shape;
  const shared = {
    'aria-label': path,
    value,
    required,
    minLength,
    maxLength,
    placeholder: example ?? (format && LOOKS[format]),
    onChange: ({ target }: { target: { value: string } }) =>
      onChange(target.value === '' ? undefined : target.value),
  };
  const isLong = format === undefined && pattern === undefined && (maxLength ?? Infinity) > LINE;
  if (isLong) return <textarea {...shared} rows={1} className="form-text" />;
  return <input {...shared} type={(format && TYPES[format]) ?? 'text'} />;
}
