// Puts files that the program reads beside its code into dist/, where the compiler puts only code.
import { cpSync } from 'node:fs';

const at = (path) => new URL(`../${path}`, import.meta.url);
for (const folder of ['catalog/search', 'assistant'])
  cpSync(at(`src/${folder}/data`), at(`dist/${folder}/data`), { recursive: true });
