/** The door of this folder: other folders import from here and nowhere else. */
export { createExplain, type Explain } from './explain.ts';
export { conversationQuestion } from './question.ts';
export { replayPolicy } from './replay.ts';
export type { CallRequest, CallTool } from './request.ts';
export { createRoad, type Wrapper } from './road.ts';
export { createResultScan } from './scan-results.ts';
export { audienceFor, audienceOf, isOutOfScope } from './scope.ts';
export { overloadErrorFor } from './steps/admission.ts';
export type { ClientChannel } from './asks/client-channel.ts';
