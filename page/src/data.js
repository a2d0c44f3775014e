/** @import {Content} from "./types.js" */

/**
 * The data of the page, from the compressed base64 in `#data`.
 * @returns {Promise<Content>}
 */
export async function readContent() {
  const element = document.getElementById("data");
  const characters = atob(element?.textContent ?? "");
  element?.remove(); // it is large
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}
