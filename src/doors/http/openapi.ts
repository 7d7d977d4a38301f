import { z } from 'zod';
import { ActivityPage, ActivityRecord, ActivitySummary } from '../../contract/activity.ts';
import { API_PREFIX, routes, type Route } from '../../contract/routes/api.ts';
import { CallRequest, CallResult } from '../../contract/call.ts';
import { Status, ServerView } from '../../contract/status.ts';
import { Approval, ApprovalDetail, Explanation, Grant } from '../../contract/approval.ts';
import { ServerConfig } from '../../contract/config.ts';
import { ErrorBody } from '../../contract/error-body.ts';
import { ERRORS } from '../../contract/errors.ts';
import { JudgedTool, ToolDiff, VerdictFile, ScoredTool, ToolEntry } from '../../contract/tool.ts';

type Json = Record<string, unknown>;

/** Schemas with a name in the document; all others are inlined. */
const NAMED = {
  ActivityPage,
  ActivityRecord,
  ActivitySummary,
  Approval,
  ApprovalDetail,
  CallRequest,
  CallResult,
  ErrorBody,
  Explanation,
  Grant,
  JudgedTool,
  ScoredTool,
  ServerConfig,
  ServerView,
  Status,
  ToolDiff,
  ToolEntry,
  VerdictFile,
};

const ERROR_STATUSES = [400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503] as const;
const CALL_STATUSES = [499, 502, 504] as const;

/** The route table as OpenAPI 3.1. */
export function openApiDocument(version: string): Json {
  const components: Json = {};
  const schema = schemaWriter(components);
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = (paths[API_PREFIX + route.path] ??= {});
    path[route.method.toLowerCase()] = operation(name, route, schema);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'mcpproxy',
      version,
      description:
        'One MCP endpoint for all your MCP servers, with tool search, declared intent, approvals and a tamper-evident activity log.',
    },
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: components,
      responses: errorResponses(schema),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

type SchemaWriter = (schema: z.ZodType, io: 'input' | 'output') => Json;

function operation(name: string, route: Route, schema: SchemaWriter): Json {
  const statuses = name === 'callTool' ? [...ERROR_STATUSES, ...CALL_STATUSES] : ERROR_STATUSES;
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.path.split('/')[1]],
    parameters: [...parameters(route.params, 'path', schema), ...parameters(route.query, 'query', schema)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schema(route.body, 'input') } },
      },
    }),
    responses: {
      200: { description: route.summary, content: answer(route, schema) },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

function answer({ output, stream }: Route, schema: SchemaWriter): Json {
  if (output) return { 'application/json': { schema: schema(output, 'output') } };
  return Object.fromEntries(
    (stream ?? '').split(' or ').map((type) => [type, { schema: { type: 'string' } }]),
  );
}

function parameters(object: z.ZodObject | undefined, place: 'path' | 'query', schema: SchemaWriter): Json[] {
  if (!object) return [];
  const { properties = {}, required = [] } = schema(object, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function errorResponses(schema: SchemaWriter): Json {
  const content = { 'application/json': { schema: schema(ErrorBody, 'output') } };
  const statuses = [...ERROR_STATUSES, ...CALL_STATUSES];
  return Object.fromEntries(
    statuses.map((status) => [`Error${status}`, { description: saysFor(status), content }]),
  );
}

function saysFor(status: number): string {
  return Object.entries(ERRORS)
    .filter(([, entry]) => entry.status === status)
    .map(([code, { says }]) => `${code}: ${says}`)
    .join(' ');
}

/** Writes JSON Schemas. Named schemas are written to the components once and referenced. */
function schemaWriter(components: Json): SchemaWriter {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  return (schema, io) => {
    const written = z.toJSONSchema(schema, {
      io,
      metadata: registry,
      unrepresentable: 'any',
      override: describe,
    }) as Json;
    const { $schema: _dialect, $defs: definitions, ...rest } = pointToComponents(written) as Json;
    for (const [id, definition] of Object.entries((definitions ?? {}) as Json))
      components[id] = withoutId(definition as Json);
    if (typeof rest.id !== 'string') return rest;
    components[rest.id] = withoutId(rest);
    return { $ref: `#/components/schemas/${rest.id}` };
  };
}

/** Names come from our own registry, descriptions from the global registry of zod. */
function describe({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const description = z.globalRegistry.get(zodSchema)?.description;
  if (description !== undefined) jsonSchema.description ??= description;
}

function withoutId({ id: _id, ...rest }: Json): Json {
  return rest;
}

function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents);
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, '#/components/schemas/');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pointToComponents(item)]));
}
