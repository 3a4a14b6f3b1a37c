// Whether the server answers, and whether it knows us; App shows both.
let lost = $state(false);
let loggedOut = $state(false);
let wasLoggedIn = $state(false);
let flag = $state('');

export const connection = {
  /** The server does not answer; asking goes on. */
  get lost() { return lost; },
  set lost(value: boolean) { lost = value; },
  /** The server answered that nobody is logged in. */
  get loggedOut() { return loggedOut; },
  set loggedOut(value: boolean) { loggedOut = value; },
  /** It did know us since the page was opened. */
  get wasLoggedIn() { return wasLoggedIn; },
  set wasLoggedIn(value: boolean) { wasLoggedIn = value; },
  /** What commands need to find this repository. */
  get flag() { return flag; },
  set flag(value: string) { flag = value; },
  /** The session is over. */
  get ended() { return loggedOut && wasLoggedIn; },
};
