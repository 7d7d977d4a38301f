/** The door of this folder: other folders import from here and nowhere else. */
export { foldText } from './fold-text.ts';
export { NOT_SCANNED, scanDefinition, type Scan } from './scan-definition.ts';
export { scanResultSteps } from './scan-result.ts';
export { createScanner, type ScannedTool } from './scanner.ts';
