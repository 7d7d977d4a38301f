/** What a server offers besides tools. */
export type ItemKind = 'prompt' | 'resource' | 'template';

export const ITEM_KINDS: readonly ItemKind[] = ['prompt', 'resource', 'template'];
