import type { CallRequest } from '../../../road/index.ts';
import type { CallResult } from '../../../contract/call.ts';

export interface ToolRequest extends Pick<
  CallRequest,
  'caller' | 'signal' | 'onProgress' | 'continuation' | 'hold'
> {
  name: string;
  arguments: unknown;
  /** Whether the client itself ended the request. */
  readonly left?: boolean;
}

export type HandleTool = (request: ToolRequest) => Promise<CallResult>;
