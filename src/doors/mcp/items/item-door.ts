import type { Items } from '../../../catalog/index.ts';
import type { Caller, Identity, ResourceWatcher } from '../../../contract/call.ts';
import type { ItemKind } from '../../../contract/item.ts';
import { isOutOfScope, type ClientChannel } from '../../../road/index.ts';
import { createItemHandler, type HandleItem, type ItemHandlerParts } from './handle-item.ts';
import { createListItems, type ListItems } from './list-items.ts';
import type { UpdateSender } from './update-sender.ts';

export interface ItemDoorParts extends ItemHandlerParts {
  items: Pick<Items, ItemKind | 'onChanged' | 'unlisted'>;
  /** A client has left: it watches no resources any more. */
  unwatch: (watcher: ResourceWatcher) => void;
}

/** Who subscribes; the channel says which client it is to a server. */
export interface Subscriber {
  caller: Caller;
  channel: ClientChannel | undefined;
}

/** What the endpoint offers besides tools. */
export interface ItemDoor {
  list: ListItems;
  handle: HandleItem;
  /** Subscribes to resources, each a request on the road. Returns those that were granted. */
  watch(uris: readonly string[], by: Subscriber, sender: UpdateSender): Promise<string[]>;
  unwatch(sender: UpdateSender): void;
  /** Whether a resource is offered, and within the scope of the caller. */
  isReadable(identity: Identity, server: string, uri: string): boolean;
}

const NEVER = new AbortController().signal;

export function createItemDoor({ items, unwatch, ...parts }: ItemDoorParts): ItemDoor {
  return {
    list: createListItems(items),
    handle: createItemHandler(parts),
    async watch(uris, { caller, channel }, sender) {
      const subscribe = async (uri: string) => {
        const asked = { kind: 'subscribe', operation: 'read', intentSource: 'verdict' } as const;
        await parts.callTool({ ...asked, input: { uri }, caller, channel, signal: NEVER, watcher: sender });
        sender.add(uri);
        return uri;
      };
      const outcomes = await Promise.allSettled(uris.map(subscribe));
      // A refusal is on its record; the client sees which subscriptions were granted.
      return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    },
    isReadable({ token }, server, uri) {
      const name = `${server}:${uri}`;
      const item = items.resource.get(name) ?? items.unlisted(server, uri);
      return item.offered && !isOutOfScope(token, name, item);
    },
    unwatch(sender) {
      unwatch(sender);
      sender.close();
    },
  };
}
