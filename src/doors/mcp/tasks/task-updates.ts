import type { BackgroundCall } from '../../../background/index.ts';
import { exactJson, type JsonObject } from '../../../json/index.ts';
import { modernTask } from './task-wire.ts';

type Send = (task: JsonObject) => void;

/** Tells clients of 2026-07-28 about the tasks that they have subscribed to. */
export class TaskUpdates {
  readonly #watchers = new Map<string, Set<Send>>();

  /** Each of the tasks is told as it is now, and with every change. Returns what ends that. */
  watch(calls: readonly BackgroundCall[], send: Send): () => void {
    const stops = calls.map((call) => this.#watchOne(call, onlyChanges(send)));
    return () => {
      for (const stop of stops) stop();
    };
  }

  changed(call: BackgroundCall): void {
    const watchers = this.#watchers.get(call.id);
    if (!watchers) return;
    const task = modernTask(call);
    for (const send of watchers) send(task);
  }

  #watchOne(call: BackgroundCall, send: Send): () => void {
    const watchers = this.#watchers.get(call.id) ?? new Set();
    this.#watchers.set(call.id, watchers.add(send));
    send(modernTask(call));
    return () => {
      watchers.delete(send);
      if (watchers.size === 0) this.#watchers.delete(call.id);
    };
  }
}

/** A server is asked for the state of a task again and again; most answers are the same. */
function onlyChanges(send: Send): Send {
  let last: string | undefined;
  return (task) => {
    const { status, statusMessage, inputRequests } = task;
    const state = exactJson({ status, statusMessage, inputRequests });
    if (state === last) return;
    last = state;
    send(task);
  };
}
