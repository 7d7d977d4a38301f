// Tools of the suite's fixture that ask back within a call (2026-07-28): each is called again with the answers, and with the state that
// it gave out, until it has what it needs.
import { randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { text } from './fixture-content.mjs';

const elicit = (message, property, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type } }, required: [property] },
  });
const sample = (question) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 50,
  });
const askName = () => elicit('What is your name?', 'name');

export function addInputTools(addTool, codec) {
  addSimple(addTool);
  addTool('test_input_required_result_capabilities', async (_args, ctx) => {
    if (ctx.mcpReq.inputResponses !== undefined) return text('done');
    const can = ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    const inputRequests = {
      ...(can.elicitation && { user_name: askName() }),
      ...(can.sampling && { greeting: sample('Generate a short greeting') }),
      ...(can.roots && { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text('nothing to ask');
  });
  for (const kind of ['request', 'tampered']) addStateful(addTool, codec, kind);
  addTool('test_input_required_result_multiple_inputs', async (_args, ctx) => {
    const given = ctx.mcpReq.inputResponses;
    const name = acceptedContent(given, 'user_name')?.name;
    const greeting = given?.greeting?.content?.text;
    if (typeof name === 'string' && greeting && Array.isArray(given?.client_roots?.roots))
      return text(`${greeting} ${name}`);
    const inputRequests = {
      user_name: askName(),
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint({ nonce: randomUUID() }) });
  });
  addTool('test_input_required_result_multi_round', async (_args, ctx) => {
    const round = (ctx.mcpReq.requestState()?.round ?? 0) + 1;
    if (round > 2) return text('Multi-round complete');
    return inputRequired({
      inputRequests: { [`step${round}`]: elicit(`Step ${round}`, round === 1 ? 'name' : 'color') },
      requestState: await codec.mint({ round, nonce: randomUUID() }),
    });
  });
}

function addSimple(addTool) {
  addTool('test_missing_capability', async (_args, ctx) =>
    ctx.mcpReq.inputResponses?.answer === undefined
      ? inputRequired({ inputRequests: { answer: sample('Say pong') } })
      : text('answered'),
  );
  addTool('test_input_required_result_elicitation', async (_args, ctx) => {
    const name = acceptedContent(ctx.mcpReq.inputResponses, 'user_name')?.name;
    if (typeof name === 'string') return text(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: askName() } });
  });
  addTool('test_input_required_result_sampling', async (_args, ctx) => {
    const answer = ctx.mcpReq.inputResponses?.capital_question;
    if (answer !== undefined) return text(`Sampling response: ${answer.content?.text}`);
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
  });
  addTool('test_input_required_result_list_roots', async (_args, ctx) => {
    const roots = ctx.mcpReq.inputResponses?.client_roots?.roots;
    if (Array.isArray(roots)) return text(`${roots.length} root(s)`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
}

function addStateful(addTool, codec, kind) {
  addTool(`test_input_required_result_${kind}_state`, async (_args, ctx) => {
    if (acceptedContent(ctx.mcpReq.inputResponses, 'confirm') === undefined) {
      return inputRequired({
        inputRequests: { confirm: elicit('Please confirm', 'ok', 'boolean') },
        requestState: await codec.mint({ kind, nonce: randomUUID() }),
      });
    }
    if (ctx.mcpReq.requestState() === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'missing requestState');
    return text('state-ok');
  });
}
