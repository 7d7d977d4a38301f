import { z } from 'zod';

/** Parameters of a query, which arrive as text. */
export const limit = (fallback: number, max: number) =>
  z.coerce.number().int().min(1).max(max).default(fallback);
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .optional();
export const cursor = z.string().max(2000).optional();
