// Whether data sent to an address crosses a network without encryption: plain http to another machine.
import { isOnThisMachine } from './this-machine.ts';

export function isUnencryptedRemote(address: string): boolean {
  return URL.parse(address)?.protocol === 'http:' && !isOnThisMachine(address);
}
