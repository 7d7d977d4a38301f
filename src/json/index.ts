/** The door of this folder: other folders import from here and nowhere else. */
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
export { isObject, merge, type JsonObject } from './exact.ts';
export { parseLong, scanLong } from './long-text.ts';
export { pointerStep } from './marked.ts';
export { onOneLine, type LocatedText, type StringEnds } from './scan.ts';
export {
  atOnce,
  canonicalJson,
  exactPrefix,
  exactValue,
  jsonText,
  keepSource,
  keepSourceAt,
  keepSourceOfField,
  readJson,
  readJsonSteps,
  sourceOf,
  withFields,
  withTexts,
  type JsonFault,
} from './source.ts';
export { LONG_TEXT, inTurn, type Steps } from './long-text.ts';
