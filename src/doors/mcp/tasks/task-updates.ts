import { isOver, type BackgroundCall } from '../../../background/index.ts';
import { exactJson, type JsonObject } from '../../../json/index.ts';
import { legacyTask, modernTask } from './task-wire.ts';

type Send = (task: JsonObject) => void;
type Watcher = (call: BackgroundCall) => void;

/** Tells clients about their tasks: those of 2026-07-28 that they have subscribed to, and those that a 2025 client has started. */
export class TaskUpdates {
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** Each of the tasks is told as it is now, and with every change. Returns what ends that. */
  watch(calls: readonly BackgroundCall[], send: Send): () => void {
    const stops = calls.map((call) => {
      const tell = onlyChanges((changed) => send(modernTask(changed)));
      tell(call);
      return this.#add(call, tell);
    });
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** For a 2025 client, which has just been given the task: every change until its end. */
  follow(call: BackgroundCall, send: Send): void {
    this.#add(
      call,
      onlyChanges((changed) => send(legacyTask(changed)), call),
    );
  }

  changed(call: BackgroundCall): void {
    const watchers = this.#watchers.get(call.id);
    if (!watchers) return;
    for (const tell of watchers) tell(call);
    if (isOver(call)) this.#watchers.delete(call.id);
  }

  #add(call: BackgroundCall, tell: Watcher): () => void {
    const watchers = this.#watchers.get(call.id) ?? new Set();
    this.#watchers.set(call.id, watchers.add(tell));
    return () => {
      watchers.delete(tell);
      if (watchers.size === 0) this.#watchers.delete(call.id);
    };
  }
}

/** A server is asked for the state of a task again and again; most answers are the same. */
function onlyChanges(tell: Watcher, known?: BackgroundCall): Watcher {
  let last = known && stateText(known);
  return (call) => {
    const state = stateText(call);
    if (state === last) return;
    last = state;
    tell(call);
  };
}

function stateText({ status, message, inputRequests }: BackgroundCall): string | undefined {
  return exactJson({ status, message, inputRequests });
}
