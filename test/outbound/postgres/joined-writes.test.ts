// Writes of one turn are sent as one piece, whole and in order, also below TLS.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeJoiningSocket } from '../../../src/outbound/postgres/joined-writes.ts';
import { tlsFile } from '../../support/tls-server.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Starts a server that records the received bytes, and connects a socket to it. */
async function aLine(makeServer: (hear: (socket: Socket) => void) => Server = createServer) {
  const heard = Promise.withResolvers<Buffer>();
  const server = makeServer((socket) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => heard.resolve(Buffer.concat(chunks)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const socket = makeJoiningSocket();
  cleanups.push(
    () => socket.destroy(),
    () => server.close(),
  );
  if (address === null || typeof address === 'string') throw new Error('a port');
  await once(socket.connect(address.port, '127.0.0.1'), 'connect');
  return { socket, heard: heard.promise };
}

/** Records the sizes of the pieces that the socket sends. */
function watchPieces(socket: Socket): readonly number[] {
  const pieces: number[] = [];
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, callback) => {
    pieces.push(chunk.length);
    write(chunk, encoding, callback);
  };
  return pieces;
}

function writeTogether(socket: Socket, chunks: readonly (Buffer | string)[]): void {
  socket.cork();
  for (const chunk of chunks) socket.write(chunk);
  socket.uncork();
}

describe('A socket that joins writes', () => {
  it('sends the small messages of a statement as one piece', async () => {
    const { socket, heard } = await aLine();
    const pieces = watchPieces(socket);
    writeTogether(socket, [Buffer.from('parse '), 'bïnd ', Buffer.from('sync')]);
    socket.end();
    expect((await heard).toString()).toBe('parse bïnd sync');
    expect(pieces).toEqual([Buffer.byteLength('parse bïnd sync')]);
  });

  it('does not copy a large message, and sends it whole and in order', async () => {
    const { socket, heard } = await aLine();
    const pieces = watchPieces(socket);
    const large = Buffer.alloc(8 * 1024 * 1024, 'x');
    writeTogether(socket, [Buffer.from('bind '), large, Buffer.from(' sync')]);
    socket.end();
    expect((await heard).equals(Buffer.concat([Buffer.from('bind '), large, Buffer.from(' sync')]))).toBe(true);
    expect(pieces).toEqual([]);
  });

  it('can be upgraded to TLS', async () => {
    const keys = { key: tlsFile('server.key.pem'), cert: tlsFile('server.pem') };
    const { socket, heard } = await aLine((hear) => createTlsServer(keys, hear));
    const secure = connectTls({ socket, ca: tlsFile('ca.pem'), servername: 'localhost' });
    await once(secure, 'secureConnect');
    writeTogether(secure, [Buffer.from('parse '), Buffer.from('bind')]);
    secure.end();
    expect((await heard).toString()).toBe('parse bind');
  });
});
