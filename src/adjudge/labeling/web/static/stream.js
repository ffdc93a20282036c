"use strict";
// One line to the server for all tabs: a browser opens only six connections to one address.
const ports = [];
let last = null;

function listen() {
  const line = new EventSource("../api/events");
  line.onmessage = (event) => {
    last = event.data;
    for (const port of ports) port.postMessage(last);
  };
  line.onerror = () => {
    if (line.readyState === EventSource.CLOSED) setTimeout(listen, 2000); // refused: the browser does not try again
  };
}

self.onconnect = (event) => {
  const [port] = event.ports;
  ports.push(port);
  if (last !== null) port.postMessage(last);
};
listen();
