import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request, as the server got it. */
export interface Got {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  readonly at: number;
}

/** What the server does about a request: a JSON answer, or an oddity. */
export type Script =
  | { readonly json: unknown }
  | { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> }
  | { readonly raw: string }
  /** Cuts the connection: before an answer, or in the middle of one. */
  | { readonly cut: 'before' | 'within' }
  | { readonly hang: true }
  | { readonly flood: number };

/** A server on a real socket that answers from a script, the last entry for ever. */
export interface ModelServer {
  readonly url: string;
  readonly got: readonly Got[];
  close(): Promise<void>;
}

export async function startModelServer(script: readonly (Script | ((got: Got) => Script))[]): Promise<ModelServer> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as Got['body'];
      got.push({ path: request.url ?? '', headers: request.headers, body, at: performance.now() });
      const entry = script[Math.min(got.length, script.length) - 1]!;
      act(typeof entry === 'function' ? entry(got.at(-1)!) : entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    got,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function act(script: Script, response: ServerResponse): void {
  if ('hang' in script) return;
  if ('cut' in script) {
    if (script.cut === 'within') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices"');
    }
    setTimeout(() => response.socket?.destroy(), 5);
    return;
  }
  if ('flood' in script) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = 'x'.repeat(1 << 20);
    for (let sent = 0; sent < script.flood; sent += piece.length) response.write(piece);
    response.end();
    return;
  }
  if ('status' in script) {
    response.writeHead(script.status, script.headers).end(script.text ?? '');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('raw' in script ? script.raw : JSON.stringify(script.json));
}

/** Answers in OpenAI's form. */
export const openai = {
  text: (content: unknown, more: object = {}): Script => ({
    json: {
      model: 'tiny-1',
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
      ...more,
    },
  }),
  calls: (...calls: readonly (readonly [id: unknown, name: string, args: unknown])[]): Script => ({
    json: {
      model: 'tiny-1',
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            tool_calls: calls.map(([id, name, args]) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    },
  }),
};

/** Answers in Anthropic's form. */
export const anthropic = {
  blocks: (...content: readonly object[]): Script => ({
    json: { model: 'tiny-2', content, stop_reason: 'end_turn', usage: { input_tokens: 7, output_tokens: 3 } },
  }),
};
