import { createContext, type ComponentType } from 'react';
import type { JsonObject } from '../../../../src/json/index.ts';
import type { Shape } from './shape.ts';

/** A field shows undefined where its value is left out. */
export interface FieldProps {
  name: string;
  /** Where it stands, as in `filter.names`. */
  path: string;
  schema: unknown;
  value: unknown;
  required: boolean;
  /** An item of a list is there because somebody added it, so it is not called required. */
  isItem?: boolean;
  onChange: (value: unknown) => void;
}

export type ShapedField = Omit<FieldProps, 'schema'> & { schema: JsonObject; shape: Shape };

interface Form {
  /** The schema that references start from. */
  root: JsonObject;
  depth: number;
  /** A field for any schema: groups have fields, which may be groups. */
  Field: ComponentType<FieldProps>;
}

export const FormContext = createContext<Form>({ root: {}, depth: 0, Field: () => null });
