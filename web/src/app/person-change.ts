import type { Person } from './person-here';

/** What a tab does when it hears who is here. */
export interface Tab {
  /** The same person as before, perhaps with a new session: what could not be had is asked for again. */
  readonly goOn: () => void;
  /** Signed out: nothing of the person stays. */
  readonly leave: () => void;
  /** Somebody else: the page begins anew, as their own. */
  readonly beginAnew: () => void;
}

/** @returns what listens to who is here; the first who is heard of is whom the tab belongs to */
export function personChange(tab: Tab): (here: Person) => void {
  let before: Person = null;
  return (here) => {
    const was = before;
    before = here;
    if (here === null) {
      if (was !== null) tab.leave();
    } else if (was === null || was === here) tab.goOn();
    else tab.beginAnew();
  };
}
