/** The door of this folder: other folders import from here and nowhere else. */
export { createApprovals, type Approvals, type ConversationDraft } from './approvals.ts';
export { channelOf } from './channel.ts';
export type { ClientAnswer } from './client-answer.ts';
export { createNotifier } from './notify.ts';
export type { Hold, Pass } from './hold.ts';
export { callFacts, severest, severestReason } from './policy/call-facts.ts';
export { callDigest } from './policy/digest.ts';
export { createPolicy, idleRules, type Policy, type Ruling } from './policy/policy.ts';
export { replayPolicy } from './policy/replay.ts';
export type { Question } from './question.ts';
export { readProxyId } from './store/proxy-id.ts';
