/** The door of this folder: other folders import from here and nowhere else. */
export { createArgumentChecker, type ArgumentChecker } from './arguments/argument-checker.ts';
export type { Audience } from './audience.ts';
export { createCatalog } from './catalog.ts';
export { isJudgedDifferently, type CatalogTool } from './catalog-tool.ts';
export { compactTool, signature } from './compact.ts';
export { itemSource } from './items/item-definition.ts';
export { createItems, type Items } from './items/items.ts';
export type { SkillFile } from './items/skill-files.ts';
export { definitionHash, diffDefinitions } from './known/definition.ts';
export { createKnownTools } from './known/known-tools.ts';
export { serverIdentity } from './known/server-identity.ts';
export { noSuchServer } from './listing/check-server-name.ts';
export type { ApproveOptions } from './verdict/decisions.ts';
export type { HeldTool } from './verdict/held-tool.ts';
export type { Decider } from './verdict/verdict-file.ts';
