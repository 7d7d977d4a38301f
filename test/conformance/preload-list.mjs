// The suite runs one scenario, or all of a revision; a list of one's own is not foreseen. So the file with a revision's requirements
// is replaced, in memory, by the one that SUITE_LIST names: one process then runs exactly that list.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const REQUIREMENTS = /[\\/]requirements[\\/]\d{4}-\d\d-\d\d\.yaml$/;
const list = process.env.SUITE_LIST;
if (list !== undefined) {
  const { readFileSync } = fs;
  fs.readFileSync = (path, ...options) =>
    readFileSync(REQUIREMENTS.test(String(path)) ? list : path, ...options);
  syncBuiltinESMExports();
}
