import { connect } from 'node:net';
import { usage } from '../../cli-options.ts';
import { messageOf } from '../../errors.ts';

/** How long a server may take to accept a connection before it is left to the requests to find out. */
const PATIENCE_MS = 5000;

/**
 * Finds out before a run whether anything listens at an address, lest every case wait for a server that is not there.
 * @throws {BenchError} `usage` when the connection is refused or the name is unknown
 */
export async function requireReachable(typed: string, address: string): Promise<void> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const fault = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
    const end = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(PATIENCE_MS, () => end());
    socket.on('connect', () => end());
    // Several addresses of one name fail together, with a code and no message.
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.message === '' ? error.code : messageOf(error)));
  });
  if (fault !== undefined)
    throw usage(`${typed}: no server at ${address} (${fault}); start it, or correct the address`);
}
