import { useId } from 'react';

interface Props<T extends string> {
  label: string;
  options: Readonly<Record<T, string>>;
  value: T;
  onChange: (value: T) => void;
}

/** One of a few values, all of them in view. */
export function Choice<T extends string>({ label, options, value, onChange }: Props<T>) {
  const name = useId();
  return (
    <fieldset className="segments segments-small">
      <legend className="sr-only">{label}</legend>
      {(Object.entries(options) as Array<[T, string]>).map(([option, title]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
