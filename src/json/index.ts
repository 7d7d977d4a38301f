/** The door of this folder: other folders import from here and nowhere else. */
export { canonicalJson } from './canonical.ts';
export { ExactNumber, exactJson, exactNumber, parseExact } from './exact.ts';
export {
  DOOR_LIMITS,
  MAX_JSON_DEPTH,
  textExceedsDepth,
  tooWideText,
  valueExceedsDepth,
  type JsonLimits,
} from './limits.ts';
export { markedJson, type Segment } from './marked.ts';
export { isObject, type JsonObject } from './object.ts';
export { parseLong, scanLong } from './parse-long.ts';
export { pointerStep } from './pointer.ts';
export { readJson, readJsonSteps, type JsonFault } from './read.ts';
export { onOneLine, type StringEnds } from './scan.ts';
export {
  exactPrefix,
  exactValue,
  jsonText,
  keepSource,
  keepSourceAt,
  keepSourceOfField,
  sourceOf,
  withFields,
  withTexts,
} from './source.ts';
export { LONG_TEXT, atOnce, inTurn, type Steps } from './in-turn.ts';
