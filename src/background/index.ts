/** The door of this folder: other folders import from here and nowhere else. */
export {
  createBackgroundCalls,
  isOver,
  type BackgroundCall,
  type CalledTool,
  type BackgroundCalls,
  type CallOutcome,
  type CallState,
} from './background-calls.ts';
