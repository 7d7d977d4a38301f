// Puts files that the program reads beside its code into dist/, where the compiler puts only code.
import { cpSync } from 'node:fs';

const at = (path) => new URL(`../${path}`, import.meta.url);
cpSync(at('src/catalog/data'), at('dist/catalog/data'), { recursive: true });
