/** Id of who is signed in; null: nobody any more. */
export type Person = string | null;

const listeners = new Set<(person: Person) => void>();
const announce = (person: Person): void => {
  for (const listener of listeners) listener(person);
};

/** A sign-in and a sign-out hold for every tab of the browser. */
const otherTabs = new BroadcastChannel('visionops.person');
otherTabs.onmessage = ({ data }: MessageEvent<Person>) => announce(data);

export function sayWhoIsHere(person: Person): void {
  announce(person);
  otherTabs.postMessage(person);
}

/** For work that goes on without a page: it must end with the session of its person. @returns what ends the listening */
export function whenSomebodyIsHere(listener: (person: Person) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
