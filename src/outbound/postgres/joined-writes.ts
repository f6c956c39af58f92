// A socket that joins the pieces of one write. The driver writes a statement as five small messages: passed to the system as a list,
// they cost twice as much as joined.
import { Socket } from 'node:net';

/** Larger pieces are passed on as they are: copying them would cost more. */
const MOST_JOINED_BYTES = 256 * 1024;
/** What a stream calls bytes; the types know only of texts. */
const BYTES = 'buffer' as BufferEncoding;

type WriteList = NonNullable<Socket['_writev']>;

/** Where the driver goes over to TLS, that takes the connection over and writes by its own means. */
export function makeJoiningSocket(): Socket {
  const socket = new Socket();
  const writeList = socket._writev?.bind(socket);
  const writeJoined: WriteList = (chunks, callback) => {
    const buffers = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    const sizeBytes = buffers.reduce((sum, { length }) => sum + length, 0);
    if (writeList !== undefined && sizeBytes > MOST_JOINED_BYTES) writeList(chunks, callback);
    else socket._write(Buffer.concat(buffers, sizeBytes), BYTES, callback);
  };
  socket._writev = writeJoined;
  return socket;
}
