import { z } from 'zod';
import { Config, ServerConfig } from '../contract/config.ts';

/** The configuration as JSON Schema, for editors and for the reference page. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }) as {
    properties: Record<string, unknown>;
  };
  // The two shapes of this key are checked by code, so they are said here by hand.
  const server = z.toJSONSchema(ServerConfig, { io: 'input' });
  schema.properties.mcpServers = {
    description: 'Upstream servers: an object by name, or an array of objects with "name"',
    anyOf: [
      { type: 'object', additionalProperties: server },
      {
        type: 'array',
        items: { allOf: [{ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }] },
      },
    ],
  };
  return schema;
}
