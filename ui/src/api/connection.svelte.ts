// Whether the server answers, and whether the viewer is logged in; App shows both.
let lost = $state(false);
let loggedOut = $state(false);
let wasLoggedIn = $state(false);
let flag = $state('');
let damage = $state('');

export const connection = {
  /** The server does not answer; requests are retried. */
  get lost() { return lost; },
  set lost(value: boolean) { lost = value; },
  /** The server answered that the viewer is not logged in. */
  get loggedOut() { return loggedOut; },
  set loggedOut(value: boolean) { loggedOut = value; },
  /** The viewer was logged in at some time since the page was opened. */
  get wasLoggedIn() { return wasLoggedIn; },
  set wasLoggedIn(value: boolean) { wasLoggedIn = value; },
  /** The option with which commands find this repository. */
  get flag() { return flag; },
  set flag(value: string) { flag = value; },
  /** What is missing because a file of the repository is damaged, and how to fix it. */
  get damage() { return damage; },
  set damage(value: string) { damage = value; },
  /** The session has ended. */
  get ended() { return loggedOut && wasLoggedIn; },
};
