/** The connection of one game: it is made again whenever it is lost. */

const FIRST_WAIT = 250;
const LONGEST_WAIT = 2000;
const FOREIGN = 4403;
const NO_GAME = 4404;

export class Channel {
  /**
   * @param {string} address path of the WebSocket
   * @param {{opened: () => void, received: (message: Object) => void, lost: (reason: string) => void}} listener
   *   `lost` gets a reason if it is of no use to try again
   */
  constructor(address, listener) {
    this.address = address;
    this.listener = listener;
    this.wait = FIRST_WAIT;
    this.#connect();
  }

  /** Send a request and return its name; nothing is sent while the connection is lost. */
  send(message) {
    const request = message.request ?? newRequest();
    if (this.isOpen) this.socket.send(JSON.stringify({ ...message, request }));
    return request;
  }

  /** Send the first message of a connection. */
  hello(version) {
    this.socket.send(JSON.stringify({ type: "hello", version }));
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  #connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}${this.address}`);
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.listener.opened();
    });
    this.socket.addEventListener("message", ({ data }) => this.listener.received(JSON.parse(data)));
    this.socket.addEventListener("close", ({ code, reason }) => {
      const isGone = code === FOREIGN || code === NO_GAME;
      this.listener.lost(isGone ? reason || "This page has no access to the game." : "");
      if (isGone) return;
      setTimeout(() => this.#connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    });
  }
}

/** Return a new name for a request. */
export function newRequest() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
