/** The door of this folder: other folders import from here and nowhere else. */
export { CLIENTS, clientNamed, type Surroundings } from './client-programs.ts';
export { findClientFiles, readNamedFile, readNamedText, type FoundFile } from './find-files.ts';
export { planImport, type PlannedServer } from './plan-import.ts';
export { problemOf, readCandidates, type Candidate } from './read-candidates.ts';
export { storeSecrets } from './store-secrets.ts';
export { secretsFolder, writeSecretFiles } from './secret-files.ts';
export { createConnections, type Connections } from './connect/connections.ts';
export { clientsFolder } from './connect/manifest.ts';
export { listConnectable, recipeOf, usesStdio } from './connect/recipes/recipes.ts';
