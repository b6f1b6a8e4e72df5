/** Requests to the server. A refusal becomes an Error whose message can be shown to people. */

/** Return the JSON of an address. */
export const get = (address) => request(address, { method: "GET" });

/** Send a body as JSON and return the answer's JSON. */
export const post = (address, body = {}) =>
  request(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

async function request(address, settings) {
  let answer;
  try {
    answer = await fetch(address, settings);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = new Error(content.error ?? `The server answered ${answer.status}.`);
    throw Object.assign(error, { isMissing: answer.status === 404 });
  }
  return content;
}

/**
 * Call a function again and again, waiting between the calls, until it returns false.
 * Errors are passed to `failed`; only that something does not exist ends the repetition.
 */
export async function repeat(seconds, work, failed) {
  for (;;) {
    try {
      if ((await work()) === false) return;
      failed(null);
    } catch (error) {
      failed(error);
      if (error.isMissing) return;
    }
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
