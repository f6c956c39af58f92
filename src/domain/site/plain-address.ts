// Whether an address carries everything in the open through a network: http, and not to this machine.
import { isOnThisMachine } from './this-machine.ts';

export function isPlainAbroad(address: string): boolean {
  return URL.parse(address)?.protocol === 'http:' && !isOnThisMachine(address);
}
